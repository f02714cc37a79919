package nodeimage

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// loadsNothing is a program that needs no library.
func loadsNothing(t *testing.T) rootFile {
	t.Helper()
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA], header.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, header); err != nil {
		t.Fatal(err)
	}
	return rootFile{tar.Header{Typeflag: tar.TypeReg, Name: "program"}, out.Bytes()}
}

func linkTo(target string) rootFile {
	return rootFile{header: tar.Header{Typeflag: tar.TypeSymlink, Name: "link", Linkname: target}}
}

func TestClosureFollowsLinks(t *testing.T) {
	t.Parallel()
	program := loadsNothing(t)
	root := rootFiles{
		"usr/sbin/tables":                 linkTo("multi"),
		"usr/sbin/multi":                  program,
		"usr/sbin/other":                  program,
		"usr/lib64/ld.so":                 linkTo("/lib/x86_64-linux-gnu/ld.so"),
		"usr/lib/x86_64-linux-gnu/ld.so":  program,
		"usr/lib/x86_64-linux-gnu/lib.so": program,
	}
	got, err := root.closure([]string{"usr/sbin/tables", "usr/lib64/ld.so"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"usr/lib/x86_64-linux-gnu/ld.so", "usr/lib64/ld.so", "usr/sbin/multi", "usr/sbin/tables"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := root.closure([]string{"usr/sbin/none"}); err == nil || !strings.Contains(err.Error(), "usr/sbin/none") {
		t.Errorf("got %v, want one that names what is missing", err)
	}
}

// TestClosureTakesLibraries looks at a program of this machine: its shell.
func TestClosureTakesLibraries(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	shell, err := elf.NewFile(bytes.NewReader(raw))
	if err != nil {
		t.Skip(err)
	}
	libraries, err := shell.ImportedLibraries()
	if loaders := interpreters(shell); err != nil || len(libraries) == 0 || len(loaders) == 0 {
		t.Skip("the shell of this machine needs no libraries")
	}
	root := rootFiles{"usr/bin/sh": {tar.Header{Typeflag: tar.TypeReg, Name: "sh"}, raw}}
	want := []string{"usr/bin/sh", interpreters(shell)[0]}
	root[interpreters(shell)[0]] = loadsNothing(t)
	for _, library := range libraries {
		name := "usr/lib/x86_64-linux-gnu/" + library
		root[name], want = loadsNothing(t), append(want, name)
	}
	got, err := root.closure([]string{"usr/bin/sh"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if !strings.Contains(strings.Join(got, " "), name) {
			t.Errorf("%s is missing in %v", name, got)
		}
	}
	delete(root, "usr/lib/x86_64-linux-gnu/"+libraries[0])
	if _, err := root.closure([]string{"usr/bin/sh"}); err == nil || !strings.Contains(err.Error(), libraries[0]) {
		t.Errorf("got %v, want one that names the library %s", err, libraries[0])
	}
}
