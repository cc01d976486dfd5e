package world

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/test/world/apimodel"
)

// untrue are defects of what schedulers tell, and of what they keep for the next one.
func untrue() map[string]func() Breaks {
	return map[string]func() Breaks{
		"tells everybody of everything": func() Breaks {
			return Breaks{wrap: with(everybody), shows: "it may not"}
		},
		"tells what was true a while ago": func() Breaks {
			return Breaks{reads: recalled(), shows: "it is about"}
		},
		"tells that pods run that wait": func() Breaks {
			return Breaks{reads: retells(`"status":"Pending"`, `"status":"Running"`), shows: "which does not"}
		},
		"tells of starts that are over": func() Breaks {
			return Breaks{reads: retells(`"latest":"2000-`, `"latest":"1999-`), shows: "a start at"}
		},
		"tells of jobs that wait that they never start": func() Breaks {
			return Breaks{reads: retells(`"reason":{"code"`, `"reason":{"never":"PodTooLarge","code"`),
				shows: "it can never start", world: func(o *Options) { o.Trouble, o.Nodes = Trouble{}, 2 }}
		},
		"answers when its lease is lost": func() Breaks {
			return Breaks{wrap: with(pretendLease), shows: "it answers, and"}
		},
		"records no receipt of what failed": func() Breaks {
			return Breaks{step: withoutFailures, shows: "decided otherwise", world: func(o *Options) {
				// What panics before it is sent fails soon; what servers answer is tried again for as long as a world lasts.
				o.Schedulers, o.Trouble = 1, Trouble{ProcessTrouble: ProcessTrouble{Panics: 5 * time.Second}}
			}}
		},
		"takes limits of time for half of what they are": func() Breaks {
			return Breaks{event: halfTheTime, world: func(o *Options) {
				o.Planned, o.Schedulers, o.Lasts, o.Trouble = true, 1, 15*time.Minute, Trouble{}
			}, shows: "later than it was first planned"}
		},
		"writes old memories over newer ones": func() Breaks {
			return Breaks{wrap: memories(), world: func(o *Options) { o.Usage = true }, shows: "is remembered"}
		},
	}
}

func withoutFailures(s *recording.Step) {
	s.Receipts = slices.DeleteFunc(s.Receipts, func(r sched.Receipt) bool { return r.Outcome != sched.Done })
}

var limitOfTime = regexp.MustCompile(`"activeDeadlineSeconds":(\d+)`)

func halfTheTime(kind string, e *apimodel.Event) bool {
	if kind == "Pod" {
		e.Object = limitOfTime.ReplaceAllFunc(e.Object, func(found []byte) []byte {
			n, _ := strconv.Atoi(string(limitOfTime.FindSubmatch(found)[1])) // it is digits
			return fmt.Appendf(nil, `"activeDeadlineSeconds":%d`, max(1, n/2))
		})
	}
	return true
}

// everybody takes every user for one that may do everything.
func everybody(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/subjectaccessreviews") {
		return next.RoundTrip(r)
	}
	return said(r, http.StatusCreated, []byte(`{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",`+
		`"status":{"allowed":true}}`)), nil
}

// memories writes the first of what is kept of usage again and again from the third time on, over the version that is
// there.
func memories() func(http.RoundTripper) http.RoundTripper {
	var first map[string]string
	writes := 0
	form := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	return with(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/configmaps/"+usageObject) {
			return next.RoundTrip(r)
		}
		return changed(next, r, func(body string) string {
			m, out := &corev1.ConfigMap{}, &strings.Builder{}
			if _, _, err := form.Decode([]byte(body), nil, m); err != nil {
				panic(err) // client-go wrote it
			}
			if writes++; writes == 1 {
				first = m.Data
			} else if writes > 2 {
				m.Data = first
			}
			if err := form.Encode(m, out); err != nil {
				panic(err) // it was read in the same form
			}
			return out.String()
		})
	})
}

// recalled gives each user the first answer to a question again.
func recalled() func(http.Handler) http.Handler {
	var mu sync.Mutex
	known := map[string][]byte{}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Authorization") + r.RequestURI
			mu.Lock()
			body, is := known[key]
			mu.Unlock()
			if is {
				_, _ = w.Write(body) // a recorder takes all
				return
			}
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			if answer.Code == http.StatusOK {
				mu.Lock()
				known[key] = answer.Body.Bytes()
				mu.Unlock()
			}
			repeat(w, answer)
		})
	}
}

// retells has another text in each answer.
func retells(old, new string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			answer.Body = bytes.NewBuffer(bytes.ReplaceAll(answer.Body.Bytes(), []byte(old), []byte(new)))
			repeat(w, answer)
		})
	}
}

func repeat(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, bytes.NewReader(answer.Body.Bytes())) // a recorder takes all
}
