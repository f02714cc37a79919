package fault

import (
	"bytes"
	"encoding/json"
	"net/http"
)

const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
)

// proxyPage is what a proxy says when what is behind it does not answer.
const proxyPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
	"<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"

// unheardOf is a state, or a code, that no cloud has.
const unheardOf = "unheard-of"

func (g *Garble) garble(a *Answer) {
	switch g.Body {
	case BodyHTML:
		*a = Answer{http.StatusBadGateway, "text/html", []byte(proxyPage)}
	case BodyEmpty:
		*a = Answer{http.StatusOK, mediaJSON, nil}
	case BodyNull:
		*a = Answer{http.StatusOK, mediaJSON, []byte("null\n")}
	case BodyTruncated:
		a.Body = a.Body[:len(a.Body)/2]
	case BodyUnknownEnum:
		a.Body = unknownEnum(a.Media, a.Body)
	case BodyBare404:
		*a = Answer{Status: http.StatusNotFound}
	}
	if g.Status != 0 {
		a.Status = g.Status
	}
}

// unknownEnum replaces every state of an answer, or the code of a problem.
func unknownEnum(media string, body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return body
	}
	name := "state"
	if media == mediaProblem {
		name = "code"
	}
	replace(v, name)
	changed, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return append(changed, '\n')
}

// replace replaces the texts of that name wherever they are.
func replace(v any, name string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if _, isText := value.(string); isText && key == name {
				v[key] = unheardOf
				continue
			}
			replace(value, name)
		}
	case []any:
		for _, value := range v {
			replace(value, name)
		}
	}
}
