package apimodel

import (
	"io"
	"net/http"
	"strconv"
)

// Gate decides when requests are answered. Each method may be called by many goroutines.
type Gate interface {
	// Answer answers a request when its turn has come; false: the connection breaks without an answer. gone is closed
	// when the client has gone.
	Answer(r *Request, gone <-chan struct{}) (Response, bool)
	// Next waits for the next event of a watch; false: the watch has ended.
	Next(w *Watch, gone <-chan struct{}) (Event, bool)
}

// Handler serves requests whose order is a gate's. client names who sends them.
func Handler(gate Gate, client string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client broke off
		}
		answer, ok := gate.Answer(&Request{Client: client, Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(),
			ContentType: r.Header.Get("Content-Type"), Accept: r.Header.Get("Accept"), Body: body}, r.Context().Done())
		if !ok {
			panic(http.ErrAbortHandler)
		}
		if answer.Retry > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(answer.Retry))
		}
		if answer.Watch == nil {
			body, contentType := answer.Encoded()
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(answer.Code)
			_, _ = w.Write(body) // a client that has gone asks again
			return
		}
		w.Header().Set("Content-Type", answer.WatchType())
		w.WriteHeader(answer.Code)
		stream(w, r, gate, answer.Watch)
	})
}

// stream sends the events of a watch until it ends.
func stream(w http.ResponseWriter, r *http.Request, gate Gate, watch *Watch) {
	w.(http.Flusher).Flush()
	for {
		e, ok := gate.Next(watch, r.Context().Done())
		if !ok {
			return
		}
		if _, err := w.Write(e.Frame()); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}
