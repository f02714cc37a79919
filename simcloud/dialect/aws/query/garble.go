package query

import (
	"bytes"
	"encoding/xml"
	"slices"
)

// Garble returns an answer with text in place of each state that it has, or of the code of an error.
// What is not XML stays as it is.
func Garble(body []byte, problem bool, text string) []byte {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // a buffer takes all
	decoder := xml.NewDecoder(bytes.NewReader(body))
	var out bytes.Buffer
	var path []string
	copied := int64(0)
	for {
		begun := decoder.InputOffset()
		token, err := decoder.RawToken()
		if err != nil {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
		case xml.EndElement:
			path = path[:max(0, len(path)-1)]
		case xml.CharData:
			if !spoiled(path, problem) {
				continue
			}
			out.Write(body[copied:begun])
			out.Write(escaped.Bytes())
			copied = decoder.InputOffset()
		}
	}
	out.Write(body[copied:])
	return out.Bytes()
}

// states are the elements that have a state, with the element around them where others have the name too.
var states = []struct{ around, name string }{
	{"instanceState", "name"}, {"", "state"}, {"", "zoneState"}, {"", "State"}, {"State", "Code"},
}

// spoiled reports whether the text at a path is one of those that are replaced.
func spoiled(path []string, problem bool) bool {
	if len(path) < 2 {
		return false
	}
	around, name := path[len(path)-2], path[len(path)-1]
	if problem {
		return name == "Code"
	}
	return slices.ContainsFunc(states, func(s struct{ around, name string }) bool {
		return s.name == name && (s.around == "" || s.around == around)
	})
}
