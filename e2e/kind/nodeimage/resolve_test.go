package nodeimage

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// memory is an engine that remembers which archives it was given.
type memory struct {
	has    map[string]bool
	loaded []string
	err    error

	others  []string // what Images answers
	removed []string
}

func (m *memory) ImageExists(_ context.Context, ref string) (bool, error) { return m.has[ref], nil }

func (m *memory) Load(_ context.Context, archive string) error {
	m.loaded = append(m.loaded, archive)
	return m.err
}

func (m *memory) Images(context.Context, string) ([]string, error) { return m.others, nil }

func (m *memory) RemoveImage(_ context.Context, ref string) error {
	m.removed = append(m.removed, ref)
	return errors.New("a container uses it")
}

// built puts an image into an empty cache, as Build does.
func built(t *testing.T) Image {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r, err := newRecipe()
	if err != nil {
		t.Skipf("no image can be built on this machine: %v", err)
	}
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	image := Image{Ref: Repository + ":" + r.tag(), Layers: []Layer{{"a", 1}, {"b", 2}}, Built: time.Unix(1, 0).UTC()}
	if err := os.WriteFile(c.archive(r.tag()), []byte("archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.keep(r.tag(), image); err != nil {
		t.Fatal(err)
	}
	image.Archive, image.Current = c.archive(r.tag()), true
	return image
}

func TestResolve(t *testing.T) {
	t.Setenv(Env, "")
	image := built(t)
	resolve := func(flag string, e *memory) string {
		t.Helper()
		ref, err := Resolve(t.Context(), flag, e, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	e := &memory{}
	if got := resolve("", e); got != image.Ref || len(e.loaded) != 1 || e.loaded[0] != image.Archive {
		t.Errorf("got %s, loaded %v; want the built image %s, loaded", got, e.loaded, image.Ref)
	}
	e = &memory{has: map[string]bool{image.Ref: true}}
	if got := resolve("", e); got != image.Ref || len(e.loaded) > 0 {
		t.Errorf("got %s, loaded %v; want the image that the engine has", got, e.loaded)
	}
	t.Setenv(Env, "example.org/env:v1")
	if got := resolve("", e); got != "example.org/env:v1" {
		t.Errorf("got %s, want that of $%s", got, Env)
	}
	if got := resolve("example.org/flag:v1", e); got != "example.org/flag:v1" {
		t.Errorf("got %s, want that of the flag", got)
	}
	t.Setenv(Env, "")
	if err := os.Remove(image.Archive); err != nil {
		t.Fatal(err)
	}
	if got := resolve("", e); got != defaults.Image {
		t.Errorf("got %s, want kind's: the archive is gone", got)
	}
}

// TestResolveSaysWhatHelps where kind's image would have to be pulled.
func TestResolveSaysWhatHelps(t *testing.T) {
	t.Setenv(Env, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for there, want := range map[bool]int{true: 0, false: 1} {
		var told []string
		e := &memory{has: map[string]bool{defaults.Image: there}}
		ref, err := Resolve(t.Context(), "", e, func(line string) { told = append(told, line) })
		if err != nil || ref != defaults.Image || len(told) != want || want == 1 && !strings.Contains(told[0], "node-image build") {
			t.Errorf("the engine has it: %t; got %s, %v, told %q", there, ref, err, told)
		}
	}
}

func TestResolveTellsWhatFailed(t *testing.T) {
	t.Setenv(Env, "")
	image := built(t)
	_, err := Resolve(t.Context(), "", &memory{err: errors.New("no space left")}, nil)
	if err == nil || !strings.Contains(err.Error(), image.Ref) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v, want one that names the image and the cause", err)
	}
}

// TestLoadTakesThePlaceOfOldImages: what is still in the cache may be asked for again.
func TestLoadTakesThePlaceOfOldImages(t *testing.T) {
	image := built(t)
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.keep("0123", Image{Ref: Repository + ":0123"}); err != nil {
		t.Fatal(err)
	}
	e := &memory{others: []string{image.Ref, "localhost/" + image.Ref, Repository + ":0123", Repository + ":4567", "localhost/" + Repository + ":89ab"}}
	if err := Load(t.Context(), image, e, nil); err != nil {
		t.Error(err)
	}
	if want := e.others[3:]; !slices.Equal(e.removed, want) {
		t.Errorf("removed %q, want %q", e.removed, want)
	}
	e = &memory{has: map[string]bool{image.Ref: true}, others: e.others}
	if err := Load(t.Context(), image, e, nil); err != nil || len(e.removed) > 0 {
		t.Errorf("%v; removed %q although there is nothing new", err, e.removed)
	}
}

// TestLoadOnce: of many that need the image at the same time, one loads it.
func TestLoadOnce(t *testing.T) {
	const many = 4
	image := built(t)
	e := &slowEngine{memory: &memory{has: map[string]bool{}}, ref: image.Ref}
	e.asked.Add(many)
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if err := Load(t.Context(), image, &oneCaller{slowEngine: e}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(e.loaded) != 1 {
		t.Errorf("it was loaded %d times", len(e.loaded))
	}
}

// slowEngine has an image only when all have asked for it.
type slowEngine struct {
	*memory
	ref   string
	asked sync.WaitGroup
	mu    sync.Mutex
}

// oneCaller is the engine as one of many uses it.
type oneCaller struct {
	*slowEngine
	once sync.Once
}

func (c *oneCaller) ImageExists(ctx context.Context, ref string) (bool, error) {
	defer c.once.Do(c.asked.Done)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.memory.ImageExists(ctx, ref)
}

func (s *slowEngine) Load(_ context.Context, archive string) error {
	s.asked.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.has[s.ref] = append(s.loaded, archive), true
	return nil
}

// TestListAndDelete: an image of another version of simcloud is listed, and not current.
func TestListAndDelete(t *testing.T) {
	image := built(t)
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.archive("0123"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.keep("0123", Image{Ref: Repository + ":0123", Built: time.Unix(2, 0)}); err != nil {
		t.Fatal(err)
	}
	images, err := List()
	if err != nil || len(images) != 2 {
		t.Fatalf("got %+v, %v; want both", images, err)
	}
	if images[0].Ref != Repository+":0123" || images[0].Current || images[1].Ref != image.Ref || !images[1].Current {
		t.Errorf("got %+v", images)
	}
	if err := Delete(image.Ref); err != nil {
		t.Fatal(err)
	}
	if _, err := Current(); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	for ref, code := range map[string]simcloud.Code{
		image.Ref: simcloud.NotFound, "simcloud-node:../work": simcloud.Invalid, "kindest/node:v1": simcloud.Invalid,
	} {
		if err := Delete(ref); !errors.Is(err, code) {
			t.Errorf("%s: got %v, want %s", ref, err, code)
		}
	}
}

// TestTag changes with all that decides what the image is.
func TestTag(t *testing.T) {
	t.Parallel()
	r := recipe{release: "bookworm", kube: "1", pause: "2", wrapper: "3"}
	for name, other := range map[string]struct {
		recipe
		parts string // those that it is in
	}{
		"release": {recipe{"trixie", "1", "2", "3"}, "root images"}, "kube": {recipe{"bookworm", "0", "2", "3"}, "node images"},
		"pause": {recipe{"bookworm", "1", "0", "3"}, "images"}, "wrapper": {recipe{"bookworm", "1", "2", "0"}, "node"},
	} {
		if r.tag() == other.tag() {
			t.Errorf("another %s, the same tag", name)
		}
		var parts []string
		for _, part := range []struct{ name, ours, others string }{
			{"root", r.base(), other.base()}, {"programs", r.programs(), other.programs()},
			{"node", r.node(), other.node()}, {"images", r.images(), other.images()},
		} {
			if part.ours != part.others {
				parts = append(parts, part.name)
			}
		}
		if got := strings.Join(parts, " "); got != other.parts {
			t.Errorf("another %s changes the parts %s, want %s", name, got, other.parts)
		}
	}
	if r.base() == (recipe{release: "trixie"}).base() || r.base() != (recipe{release: "bookworm"}).base() {
		t.Error("the Debian root depends on the release alone")
	}
	if digest([]string{"base*.go"}) == digest([]string{"pack.go"}) || digest([]string{"no-such.go"}) != digest(nil) {
		t.Error("the sources do not count")
	}
	for _, pattern := range sources() {
		if digest([]string{pattern}) == digest(nil) {
			t.Errorf("no source is %s", pattern)
		}
	}
	if runtime.GOOS == "linux" && len(r.tag()) != 12 {
		t.Errorf("tag %q", r.tag())
	}
}

// TestKindVersion: the files of the image are those of the library that makes the clusters.
func TestKindVersion(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(module), "sigs.k8s.io/kind "+kindVersion+"\n") {
		t.Errorf("go.mod requires another version of kind than %s", kindVersion)
	}
}
