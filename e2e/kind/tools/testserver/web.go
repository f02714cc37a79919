package main

import (
	"io"
	"net"
	"net/http"
	"time"
)

// handler answers HTTP. All answers are plain text without a line break at the end.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hostname", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.hostname) })
	mux.HandleFunc("GET /clientip", func(w http.ResponseWriter, r *http.Request) { answer(w, clientIP(r.RemoteAddr)) })
	mux.HandleFunc("GET /header", func(w http.ResponseWriter, r *http.Request) { answer(w, r.Header.Get(r.FormValue("name"))) })
	mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) { answer(w, r.FormValue("text")) })
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	mux.HandleFunc("GET /delay", s.delay)
	mux.HandleFunc("GET /healthz", s.healthz)
	return mux
}

// answer writes the text. Who does not listen any more misses it.
func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

// delay answers like /hostname, but after the duration d.
func (s *server) delay(w http.ResponseWriter, r *http.Request) {
	d, err := time.ParseDuration(r.FormValue("d"))
	if err != nil {
		http.Error(w, "d: "+err.Error()+"; 2s is right", http.StatusBadRequest)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		answer(w, s.hostname)
	case <-r.Context().Done():
	}
}

func (s *server) healthz(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	answer(w, "ok")
}

// clientIP is the host of an address with a port.
func clientIP(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
