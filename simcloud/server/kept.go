package server

import "net/http"

// keptAnswer is an answer that is not sent yet. Its headers are those of what it will be sent to.
type keptAnswer struct {
	header http.Header
	status int
	body   []byte
}

func keep(w http.ResponseWriter) *keptAnswer { return &keptAnswer{header: w.Header()} }

func (k *keptAnswer) Header() http.Header    { return k.header }
func (k *keptAnswer) WriteHeader(status int) { k.status = status }

func (k *keptAnswer) Write(body []byte) (int, error) {
	k.body = append(k.body, body...)
	return len(body), nil
}

func (k *keptAnswer) send(w http.ResponseWriter) {
	w.WriteHeader(k.status)
	_, _ = w.Write(k.body) // a client that has gone is not our concern, nor a status that has no body
}
