//go:build !simulator

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/readapi/client"
	"ashlar.sh/internal/web/player"
)

// lease is the name of the Lease of the one scheduler that was named; "" where none or several were.
func (s *simulation) lease() string {
	if s.schedulersGiven && len(s.schedulers) == 1 {
		return s.schedulers[0]
	}
	return ""
}

// client makes one of the read API that is named, or that is found in the cluster of a person.
func (p Process) client(r readAPI, person *rest.Config, lease string, wait bool) (*client.Client, error) {
	home := r.home
	if home == "" && r.address == "" {
		home = p.Env(homeVariable)
	}
	return client.New(client.Options{Person: person, Namespace: home, Lease: lease, Address: r.address,
		Certificate: r.certificate, Wait: wait})
}

// live passes the page's requests on to the read API of a live scheduler, with the credentials of a kubeconfig. It
// passes on no header of the browser's, and nothing but GET.
func (p pages) live(s watching) (http.Handler, error) {
	of := source{kubeconfig: s.kubeconfig, context: s.context}
	person, _, err := questions(p).person(of)
	if err != nil {
		return nil, noCluster(err)
	}
	cluster, err := questions(p).clients(&of)
	if err != nil {
		return nil, noCluster(err)
	}
	c, err := p.client(s.readAPI, person, s.lease(), true)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	if err := p.begins(c); err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Transport: c, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.Header = http.Header{"Accept": {"application/json"}} },
		ModifyResponse: func(r *http.Response) error {
			kept := http.Header{}
			for _, name := range []string{"Content-Type", "Cache-Control", "Retry-After"} {
				if v := r.Header.Get(name); v != "" {
					kept.Set(name, v)
				}
			}
			r.Header = kept
			if r.StatusCode == http.StatusUnauthorized { // to the page that code means: another browser has it
				r.StatusCode = http.StatusForbidden
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { unreached(w, err) }}
	mux := http.NewServeMux()
	mux.Handle("GET /v1/", proxy)
	mux.Handle("GET /v1/evictions", &liveEvictions{kube: cluster.Kube, scheduler: c.Get,
		namespace: of.namespace, now: time.Now})
	mux.Handle("GET /v1/bookings", &liveBookings{list: cluster.Bookings.List, now: time.Now})
	mux.Handle("POST /v1/whatif", player.Answers(make(chan struct{}, 1), (&liveWhatIf{pages: p, s: s, c: c}).copied))
	mux.HandleFunc("GET /v1/configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"text": ""}`) // it is in the copy that what-if makes; the client may have gone
	})
	mux.HandleFunc("GET /v1/page", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), briefWait)
		defer cancel()
		var state readapi.State
		_ = c.Get(ctx, "/v1/state", &state) // the page tells by its stream what is wrong
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(shownPage{Title: c.Found(), Source: "cluster", Version: ownVersions().Version,
			Scheduler: state.Version, WhatIf: true}) // it may have gone
	})
	return mux, nil
}

// shownPage is what the page says of itself. Version is that of the page, Scheduler that of the scheduler.
type shownPage struct {
	Title     string `json:"title"`
	Source    string `json:"source"`
	Version   string `json:"version"`
	Scheduler string `json:"scheduler,omitempty"`
	WhatIf    bool   `json:"whatIf"`
}

// begins finds the scheduler, and says which one it is. One that does not answer at the moment is no error: the page
// says so, and goes on trying.
func (p pages) begins(c *client.Client) error {
	ctx, stop := whileReading(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, briefWait)
	defer cancel()
	var state readapi.State
	err := c.Get(ctx, "/v1/state", &state)
	var refused *client.Refusal
	var fault *client.Fault
	switch {
	case err == nil:
		fmt.Fprintf(p.Out, "The scheduler is %s, version %s.\n", c.Found(), state.Version)
		return nil
	case errors.As(err, &fault) && fault.Kind == client.None:
		return badInput("error: no scheduler to show: "+err.Error(),
			"Name the namespace of its Lease with --scheduler-namespace, or its address with --read-api, or show files.")
	case errors.As(err, &fault) && fault.Kind == client.Forbidden:
		return badInput("error: no scheduler to show: "+err.Error(),
			"An administrator can bind the Role ashlar-read-api of the scheduler's namespace to you: see docs/read-api.md.")
	case errors.As(err, &fault) && (fault.Kind != client.Unreached || c.Found() == ""),
		errors.As(err, &refused) && refused.Code < http.StatusInternalServerError:
		return badInput("error: " + err.Error())
	}
	fmt.Fprintln(p.Err, explain.Printable("The scheduler does not answer yet: "+err.Error()))
	return nil
}

// unreached tells the page that the scheduler cannot be reached, in the form of the read API.
func unreached(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
		"code": http.StatusBadGateway, "message": "the scheduler cannot be reached: " + err.Error()}) // it may have gone
}
