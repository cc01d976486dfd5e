package apimodel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// page is where a list goes on: what comes after a key, at a version.
type page struct {
	Version int64  `json:"rv"`
	After   string `json:"start"`
}

// newest is the version of a page that goes on with what there is when it is asked for.
const newest = -1

func (p page) token() string {
	text, _ := json.Marshal(p) // plain data
	return base64.RawURLEncoding.EncodeToString(text)
}

// list answers GET of a kind.
func (c *call) list() (Response, error) {
	out, _, err := c.listed()
	return out, err
}

// listed is a list, and what is in it.
func (c *call) listed() (Response, []*Stored, error) {
	match, err := c.selection()
	if err != nil {
		return Response{}, nil, err
	}
	limit, _ := strconv.Atoi(c.Query.Get("limit")) // none where it is no number
	from, err := c.from()
	if err != nil {
		return Response{}, nil, err
	}
	all := c.s.stores[c.kind].at(from.Version)
	rest, last, within := 0, "", ""
	var items [][]byte
	var shown []*Stored
	if c.namespace != "" {
		within = keyOf(c.namespace, "")
	}
	for _, o := range all {
		key := o.key()
		switch {
		case key <= from.After && from.After != "" || !strings.HasPrefix(key, within):
		case limit > 0 && len(items) == limit:
			rest++ // whether they match is found out when they are asked for
		case match(o):
			items, shown, last = append(items, c.text(o)), append(shown, o), key
		}
	}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(from.Version, 10)}
	if rest > 0 {
		meta["continue"] = page{from.Version, last}.token()
		if c.Query.Get("labelSelector") == "" && c.Query.Get("fieldSelector") == "" {
			meta["remainingItemCount"] = rest
		}
	}
	name, version := c.kind.Kind+"List", c.kind.apiVersion()
	if c.headsOnly() {
		name, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	if len(items) == 0 && c.headsOnly() {
		body, _ := json.Marshal(map[string]any{"kind": name, "apiVersion": version, "metadata": meta, "items": nil})
		return Response{Code: http.StatusOK, Body: json.RawMessage(body)}, nil, nil
	}
	body, _ := json.Marshal(map[string]any{"kind": name, "apiVersion": version, "metadata": meta}) // plain data
	body = append(body[:len(body)-1], `,"items":[`...)
	body = append(append(body, bytes.Join(items, []byte{','})...), "]}"...)
	return Response{Code: http.StatusOK, Body: json.RawMessage(body)}, shown, nil
}

// from is the version that a list is about, and where it begins.
func (c *call) from() (page, error) {
	asked := c.Query.Get("resourceVersion")
	if token := c.Query.Get("continue"); token != "" {
		var p page
		text, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || json.Unmarshal(text, &p) != nil || asked != "" && asked != "0" {
			return p, apierrors.NewBadRequest("continue key is not valid")
		}
		if p.Version == newest {
			p.Version = c.s.version
		}
		if p.Version < c.s.compacted {
			gone := apierrors.NewResourceExpired("the continue parameter is too old for a consistent list")
			gone.ErrStatus.Continue = page{newest, p.After}.token()
			return p, gone
		}
		return p, nil
	}
	version, err := c.versionAsked()
	if err != nil {
		return page{}, err
	}
	match := c.Query.Get("resourceVersionMatch")
	switch {
	case match != "" && asked == "":
		return page{}, c.invalid("", "resourceVersionMatch", "forbidden unless resourceVersion is provided")
	case match == string(metav1.ResourceVersionMatchExact) && version == 0:
		return page{}, c.invalid("", "resourceVersionMatch", "exact is forbidden for resourceVersion 0")
	case version > c.s.version:
		return page{}, apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version,
			c.s.version), 1)
	case match == string(metav1.ResourceVersionMatchExact):
		if version < c.s.compacted {
			return page{}, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		}
		return page{Version: version}, nil
	}
	return page{Version: c.s.version}, nil
}

func (c *call) versionAsked() (int64, error) {
	text := c.Query.Get("resourceVersion")
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || version < 0 {
		return 0, c.invalid("", "resourceVersion", fmt.Sprintf("invalid resource version %q", text))
	}
	return version, nil
}

// selection is which objects a list or a watch is about.
func (c *call) selection() (func(*Stored) bool, error) {
	byLabels, err := labels.Parse(c.Query.Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byFields, err := fields.ParseSelector(c.Query.Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, r := range byFields.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" && (c.kind.Resource != "pods" ||
			!contains(podFields, r.Field)) {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	namespace := c.namespace
	return func(o *Stored) bool {
		m := o.Meta()
		if namespace != "" && m.GetNamespace() != namespace {
			return false
		}
		return (byLabels.Empty() || byLabels.Matches(labels.Set(m.GetLabels()))) && (byFields.Empty() ||
			byFields.Matches(fieldsOf{o}))
	}, nil
}

// podFields are those that pods can be selected by.
var podFields = []string{"spec.nodeName", "spec.schedulerName", "spec.restartPolicy", "status.phase",
	"status.nominatedNodeName"}

// fieldsOf reads the fields of an object that it may be selected by.
type fieldsOf struct{ o *Stored }

// Has implements fields.Fields.
func (f fieldsOf) Has(string) bool { return true }

// Get implements fields.Fields.
func (f fieldsOf) Get(field string) string {
	at := f.o.Object
	for {
		key, rest, deeper := strings.Cut(field, ".")
		if !deeper {
			text, _ := at[key].(string)
			return text
		}
		at, _ = at[key].(map[string]any)
		field = rest
	}
}
