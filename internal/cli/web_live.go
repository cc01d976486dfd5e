//go:build !simulator

package cli

import (
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/readapi"
)

// live passes the page's requests on to the read API of a live scheduler, with the credentials of a kubeconfig. It
// passes on no header of the browser's, and nothing but GET.
func (p pages) live(s watching) (http.Handler, error) {
	to, err := url.Parse(s.api)
	if err != nil || to.Scheme != "https" || to.Host == "" || strings.Trim(to.Path, "/") != "" {
		return nil, fmt.Errorf("--read-api %q: expected an address such as https://localhost:8443", s.api)
	}
	person, _, err := questions(p).person(source{kubeconfig: s.kubeconfig, context: s.context})
	if err != nil {
		return nil, badInput("error: no cluster to ask: " + err.Error())
	}
	transport, err := pinned(person, s.certificate)
	if err != nil {
		return nil, badInput("error: " + err.Error())
	}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header = http.Header{"Accept": {"application/json"}}
		},
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
	mux.HandleFunc("GET /v1/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"title": to.Host, "source": "cluster"}) // it may have gone
	})
	return mux, nil
}

// unreached tells the page that the scheduler cannot be reached, in the form of the read API.
func unreached(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
		"code": http.StatusBadGateway, "message": "the scheduler cannot be reached: " + err.Error()}) // it may have gone
}

// pinned is a transport with a person's credentials to the server that has one certificate: its SHA-256, in the form of
// the scheduler's log or in that of the label of its Lease. Without it, no credentials are sent.
func pinned(person *rest.Config, certificate string) (http.RoundTripper, error) {
	if certificate == "" {
		return nil, errors.New("--read-api-certificate is not given: your credentials go to that server only. " +
			"`kubectl -n ashlar-system get lease volcano --show-labels` shows it, as ashlar.sh/read-api-certificate")
	}
	c := rest.CopyConfig(person)
	c.Insecure, c.CAData, c.CAFile, c.ServerName = true, nil, "", ""
	config, err := rest.TLSConfigFor(c)
	if err != nil {
		return nil, err
	}
	if config == nil {
		config = &tls.Config{}
	}
	config.MinVersion = tls.VersionTLS12
	config.InsecureSkipVerify = true // VerifyConnection asks for one certificate instead of for one that is vouched for
	config.VerifyConnection = func(state tls.ConnectionState) error {
		for _, form := range []string{readapi.Fingerprint(state.PeerCertificates[0].Raw),
			readapi.LabelOf(state.PeerCertificates[0].Raw)} {
			if subtle.ConstantTimeCompare([]byte(form), []byte(certificate)) == 1 {
				return nil
			}
		}
		return errors.New("the server has another certificate than --read-api-certificate says")
	}
	return rest.HTTPWrappersForConfig(c, &http.Transport{TLSClientConfig: config, IdleConnTimeout: time.Minute})
}
