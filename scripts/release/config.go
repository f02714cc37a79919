package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// config is what this project uses of goreleaser's configuration.
type config struct {
	Version     int       `json:"version"`
	ProjectName string    `json:"project_name"`
	Dist        string    `json:"dist"`
	Builds      []build   `json:"builds"`
	Archives    []archive `json:"archives"`
	Checksum    struct {
		NameTemplate string `json:"name_template"`
		Algorithm    string `json:"algorithm"`
	} `json:"checksum"`
}

// build is a program for each pair of an operating system and an architecture.
type build struct {
	ID      string   `json:"id"`
	Dir     string   `json:"dir"`
	Main    string   `json:"main"`
	Binary  string   `json:"binary"`
	Goos    []string `json:"goos"`
	Goarch  []string `json:"goarch"`
	Env     []string `json:"env"`
	Flags   []string `json:"flags"`
	Ldflags []string `json:"ldflags"`
}

// archive is what all programs of a platform are packed into, with files of the repository.
type archive struct {
	Formats      []string `json:"formats"`
	NameTemplate string   `json:"name_template"`
	Wrap         string   `json:"wrap_in_directory"`
	Files        []string `json:"files"`
}

// loadConfig refuses what it does not know, and what release does not do.
func loadConfig(path string) (c config, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	for _, must := range []struct {
		field string
		is    bool
		value string
	}{
		{"version", c.Version == 2, "2"},
		{"dist", c.Dist != "" && c.Dist != ".", "a folder that is made for it"},
		{"builds", len(c.Builds) > 0, "one at least"},
		{"archives", len(c.Archives) == 1, "exactly one"},
		{"archives[0].formats", len(c.Archives) == 1 && slices.Equal(c.Archives[0].Formats, []string{"tar.gz"}), "[tar.gz]"},
		{"archives[0].wrap_in_directory", len(c.Archives) == 1 && c.Archives[0].Wrap == "true", `"true"`},
		{"checksum.algorithm", c.Checksum.Algorithm == "sha256", "sha256"},
		{"checksum.name_template", c.Checksum.NameTemplate != "", "a file name"},
	} {
		if !must.is {
			return c, fmt.Errorf("%s: invalid %s: must be %s", path, must.field, must.value)
		}
	}
	return c, nil
}

// platforms are those of all builds, such as linux/amd64.
func (c config) platforms() (all []string) {
	for _, b := range c.Builds {
		for _, goos := range b.Goos {
			for _, goarch := range b.Goarch {
				all = append(all, goos+"/"+goarch)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (b build) has(platform string) bool {
	goos, goarch, _ := strings.Cut(platform, "/")
	return slices.Contains(b.Goos, goos) && slices.Contains(b.Goarch, goarch)
}

// values are what templates can name: the fields have the names that goreleaser gives them.
type values struct {
	Version    string // without its v
	Tag        string
	FullCommit string
	Os, Arch   string
}

func valuesOf(o options, platform string) values {
	goos, goarch, _ := strings.Cut(platform, "/")
	return values{Version: strings.TrimPrefix(o.version, "v"), Tag: o.version, FullCommit: o.commit, Os: goos, Arch: goarch}
}

// expand fills a template in.
func (v values) expand(text string) (string, error) {
	parsed, err := template.New("").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if err := parsed.Execute(&out, v); err != nil {
		return "", err
	}
	return out.String(), nil
}
