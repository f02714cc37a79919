package main

import (
	"strings"
	"testing"
)

// TestEndIsTold: test2json gives a binary that ends in the middle of a test no end of its own.
func TestEndIsTold(t *testing.T) {
	t.Parallel()
	for events, want := range map[string]int{
		`{"Action":"fail","Package":"p","Test":"TestA"}`:                                               1,
		`{"Action":"build-fail","ImportPath":"p"}`:                                                     1,
		`{"Action":"fail","Package":"p","Test":"TestA"}` + "\n{\"Action\":\"fail\",\"Package\":\"p\"}": 0,
		`{"Action":"pass","Package":"p"}`:                                                              0,
	} {
		results, err := read(strings.NewReader(events), func(*packageResult, event, bool) {})
		if err != nil || len(results) != 1 {
			t.Fatal(results, err)
		}
		told := 0
		results[0].end(func(p *packageResult, _ event, ended bool) {
			if ended && p.Action == "fail" {
				told++
			}
		})
		if told != want {
			t.Errorf("%s: the end is told %d times, want %d", events, told, want)
		}
	}
}

// TestAnEarlyEnd: tests of which nothing was heard have failed.
func TestAnEarlyEnd(t *testing.T) {
	t.Parallel()
	results, err := read(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}
`), func(*packageResult, event, bool) {})
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	results[0].complete([]string{"TestA", "TestB"})
	if _, failed, _ := results[0].count(); failed != 2 || len(results[0].failures()) != 2 {
		t.Errorf("%d failed, want 2", failed)
	}
}
