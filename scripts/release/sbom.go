package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// bom is a software bill of materials: CycloneDX 1.5 in JSON, as far as it says what programs are linked of. It has neither
// a time nor a serial number, so that one commit has one.
type bom struct {
	BOMFormat    string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeBOM writes what the programs of an archive are linked of.
func writeBOM(path, name, version string, programs []program) error {
	b, err := newBOM(name, version, programs)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

func newBOM(name, version string, programs []program) (bom, error) {
	whole := component{Type: "application", Ref: name, Name: name, Version: version}
	b := bom{BOMFormat: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{whole}}
	parts := dependency{Ref: name}
	libraries := map[string]bool{}
	for _, p := range programs {
		raw, err := os.ReadFile(p.path)
		if err != nil {
			return b, err
		}
		ref := name + "/" + p.name
		parts.DependsOn = append(parts.DependsOn, ref)
		b.Components = append(b.Components, component{
			Type: "application", Ref: ref, Name: p.name, Version: version, Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(raw))}},
		})
		needs := dependency{Ref: ref}
		for _, library := range p.libraries() {
			needs.DependsOn = append(needs.DependsOn, library.Ref)
			if !libraries[library.Ref] {
				b.Components = append(b.Components, library)
			}
			libraries[library.Ref] = true
		}
		b.Dependencies = append(b.Dependencies, needs)
	}
	b.Dependencies = append([]dependency{parts}, b.Dependencies...)
	return b, nil
}

// libraries are Go's own library and the modules of a program, named by package URLs.
func (p program) libraries() []component {
	version := strings.TrimPrefix(p.golang, "go")
	all := []component{library(module{path: "stdlib", version: version})}
	for _, m := range p.modules {
		all = append(all, library(m))
	}
	return all
}

func library(m module) component {
	c := component{Type: "library", Ref: "pkg:golang/" + m.ref(), Name: m.path, Version: m.version, PURL: "pkg:golang/" + m.ref()}
	if m.sum != "" {
		c.Properties = []property{{"go.sum", m.sum}} // of the module's files, as go.sum has it
	}
	return c
}
