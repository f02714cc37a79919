package edge

import "net/http"

// bufferedResponse is an answer that is not sent yet. Its headers are those of what it will be sent to.
type bufferedResponse struct {
	header http.Header
	status int
	body   []byte
}

func buffer(w http.ResponseWriter) *bufferedResponse { return &bufferedResponse{header: w.Header()} }

func (b *bufferedResponse) Header() http.Header    { return b.header }
func (b *bufferedResponse) WriteHeader(status int) { b.status = status }

func (b *bufferedResponse) Write(body []byte) (int, error) {
	b.body = append(b.body, body...)
	return len(body), nil
}

func (b *bufferedResponse) send(w http.ResponseWriter) {
	w.WriteHeader(b.status)
	_, _ = w.Write(b.body) // a client that has gone is not our concern, nor a status that has no body
}
