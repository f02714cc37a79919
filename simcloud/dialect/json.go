package dialect

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Encoded is what is JSON already, such as an answer that is remembered.
type Encoded []byte

// Encode returns the JSON of a value.
func Encode(v any) (Encoded, error) {
	if raw, ok := v.(Encoded); ok {
		return raw, nil
	}
	return json.Marshal(v)
}

// WriteJSON sends a value. Its length is known before, so that a client sees when the answer was cut.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := Encode(v)
	if err != nil { // nothing of a dialect fails: it would be a defect
		http.Error(w, "encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is not our concern
}
