package service

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// encoded is what is JSON already.
type encoded []byte

// encode returns the JSON of a value.
func encode(v any) (encoded, error) {
	if raw, ok := v.(encoded); ok {
		return raw, nil
	}
	return json.Marshal(v)
}

// WriteJSON sends a value. Its length is known before, so that a client sees when the answer was cut.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := encode(v)
	if err != nil { // nothing of the dialect fails: it would be a defect
		http.Error(w, "encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is not our concern
}
