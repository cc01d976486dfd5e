package loop

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"k8s.io/klog/v2"

	"ashlar.sh/sched/policy"
)

// inEffect is the configuration that holds, for /configz.
type inEffect struct {
	File    string `json:"file,omitempty"` // "": none was given
	Text    string `json:"text,omitempty"` // as it was written; "": Volcano's default holds
	Profile policy.Profile
	Flags   map[string]string `json:"flags,omitempty"`
	Refused string            `json:"refused,omitempty"` // what is wrong with the file as it is now; "": it holds
}

// configured notes which configuration holds.
func (h *health) configured(c *configuration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.config = inEffect{File: c.path, Text: c.inEffect(), Profile: c.profile, Flags: h.config.Flags}
}

// refused notes that the file is not what holds, and why.
func (h *health) refused(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.config.Refused = err.Error()
}

// configz answers with the configuration in effect: as JSON, with ?format=file as the
// file has it.
func (h *health) configz(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	now := h.config
	h.mu.Unlock()
	if r.URL.Query().Get("format") == "file" {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = io.WriteString(w, now.Text) // the client may have gone
		return
	}
	w.Header().Set("Content-Type", "application/json")
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	_ = to.Encode(now) // the client may have gone
}

// logLevel sets klog's -v to the number that is put, as kube-scheduler does at the same
// path.
func logLevel(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		w.Header().Set("Allow", http.MethodPut)
		http.Error(w, "put a number, as in: curl -X PUT --data 4", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16))
	text := strings.TrimSpace(string(body))
	var level klog.Level
	if err == nil {
		err = level.Set(text)
	}
	if err != nil {
		http.Error(w, "not a log level such as 4: "+err.Error(), http.StatusBadRequest)
		return
	}
	klog.InfoS("The log level was set", "v", text)
	_, _ = io.WriteString(w, "successfully set klog.logging.verbosity to "+text+"\n") // the client may have gone
}
