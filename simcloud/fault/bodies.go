package fault

import "net/http"

const mediaJSON = "application/json"

// proxyPage is what a proxy says when what is behind it does not answer.
const proxyPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
	"<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"

// unheardOf is a state, or a code, that no cloud has.
const unheardOf = "unheard-of"

func (g *Garble) garble(a *Answer) {
	switch g.Body {
	case BodyHTML:
		*a = Answer{Status: http.StatusBadGateway, Media: "text/html", Body: []byte(proxyPage)}
	case BodyEmpty:
		*a = Answer{Status: http.StatusOK, Media: mediaJSON}
	case BodyNull:
		*a = Answer{Status: http.StatusOK, Media: mediaJSON, Body: []byte("null\n")}
	case BodyTruncated:
		a.Body = a.Body[:len(a.Body)/2]
	case BodyUnknownEnum:
		if a.Garbled != nil {
			a.Body = a.Garbled(a.Body, unheardOf)
		}
	case BodyBare404:
		*a = Answer{Status: http.StatusNotFound}
	}
	if g.Status != 0 {
		a.Status = g.Status
	}
}
