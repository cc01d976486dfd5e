package access

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"ashlar.sh/test/heap"
)

// answering is an API server that knows some tokens and rights.
type answering struct {
	*fake.Clientset
	tokens  map[string]User
	allowed map[string]bool // user and what
	asked   int
	err     error
}

func newAnswering() *answering {
	a := &answering{Clientset: fake.NewSimpleClientset(), tokens: map[string]User{}, allowed: map[string]bool{}}
	a.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview)
		a.asked++
		if u, ok := a.tokens[review.Spec.Token]; ok {
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: u}
		}
		return true, review, a.err
	})
	a.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview)
		a.asked++
		what := "?"
		if r := review.Spec.ResourceAttributes; r != nil {
			what = fmt.Sprint(r.Verb, " ", r.Group, "/", r.Resource, " ", r.Namespace, "/", r.Name)
		} else if p := review.Spec.NonResourceAttributes; p != nil {
			what = p.Verb + " " + p.Path
		}
		review.Status.Allowed = a.allowed[review.Spec.User+": "+what]
		return true, review, a.err
	})
	return a
}

func with(token string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	return r
}

func TestATokenIsReviewedOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAnswering()
		api.tokens["good"] = User{Username: "jane", UID: "7", Groups: []string{"dev"}}
		r := New(api)
		for range 3 {
			u, err := r.User(t.Context(), with("Bearer good"))
			if err != nil || u.Username != "jane" || !slices.Contains(u.Groups, authenticated) {
				t.Fatalf("%+v, %v", u, err)
			}
		}
		if api.asked != 1 {
			t.Errorf("it was reviewed %d times, want once", api.asked)
		}
		delete(api.tokens, "good")
		<-time.After(Lifetime + time.Second)
		if _, err := r.User(t.Context(), with("Bearer good")); !errors.Is(err, ErrUnknown) {
			t.Errorf("a token that ended: %v", err)
		}
	})
}

func TestWhatIsNoToken(t *testing.T) {
	api := newAnswering()
	api.tokens[""] = User{Username: "empty"}
	api.tokens["nameless"] = User{}
	r := New(api)
	huge := make([]byte, longest+1)
	for i := range huge {
		huge[i] = 'x'
	}
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic good", "good", "Bearer " + string(huge),
		"Bearer nameless"} {
		if u, err := r.User(t.Context(), with(header)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%.20q: %v, %v", header, u, err)
		}
	}
	if api.asked != 1 {
		t.Errorf("%d reviews, want that of the one token alone", api.asked)
	}
	api.err = errors.New("down")
	if _, err := r.User(t.Context(), with("Bearer other")); !errors.Is(err, ErrUnanswered) {
		t.Errorf("of an API server that is down: %v", err)
	}
}

// An address that guesses tokens is refused after a while; a good token from elsewhere is not.
func TestGuessing(t *testing.T) {
	api := newAnswering()
	api.tokens["good"] = User{Username: "jane"}
	r := New(api)
	var last error
	for i := range 2 * wrongAtOnce {
		_, last = r.User(t.Context(), with(fmt.Sprint("Bearer guess-", i)))
	}
	if !errors.Is(last, ErrTooMany) || api.asked > wrongAtOnce+5 {
		t.Errorf("after %d reviews: %v", api.asked, last)
	}
	elsewhere := with("Bearer good")
	elsewhere.RemoteAddr = "[2001:db8::1]:1234"
	if _, err := r.User(t.Context(), elsewhere); err != nil {
		t.Error(err)
	}
}

// Wrong tokens that come at once are no more than those that come one after another.
func TestGuessingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAnswering()
		r := New(api)
		refused := make(chan error, 1000)
		for i := range cap(refused) {
			go func() {
				_, err := r.User(t.Context(), with(fmt.Sprintf("Bearer wrong-%d", i)))
				refused <- err
			}()
		}
		many := 0
		for range cap(refused) {
			if errors.Is(<-refused, ErrTooMany) {
				many++
			}
		}
		if want := cap(refused) - wrongAtOnce; many != want || api.asked != wrongAtOnce {
			t.Errorf("%d requests are refused unasked, the API server is asked %d times; want %d and %d", many, api.asked,
				want, wrongAtOnce)
		}
	})
}

// Good tokens, however many, do not count as wrong ones.
func TestManyGoodTokensOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAnswering()
		r := New(api)
		for i := range 4 * wrongAtOnce {
			token := fmt.Sprint("good-", i)
			api.tokens[token] = User{Username: token}
			if _, err := r.User(t.Context(), with("Bearer "+token)); err != nil {
				t.Fatalf("token %d: %v", i, err)
			}
		}
	})
}

// A user that asks about ever more namespaces leaves others their part of the questions. The service accounts of
// a namespace have one part together.
func TestAUserAsksForAllOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(newAnswering())
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 2000 {
			u := &User{Username: fmt.Sprintf("system:serviceaccount:red:a%d", i%20)}
			go func() { _, _ = r.May(ctx, u, ListPods(fmt.Sprint("ns-", i))) }() // most are refused
		}
		synctest.Wait()
		began := time.Now()
		for i := range 50 {
			if _, err := r.May(t.Context(), &User{Username: "jane"}, ListPods(fmt.Sprint("ns-", i))); err != nil {
				t.Fatalf("question %d of another user: %v", i, err)
			}
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("50 questions of another user take %s", took)
		}
		cancel()
		synctest.Wait()
	})
}

func TestRightsAreAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAnswering()
		for _, what := range []string{"list /pods red/", "get scheduling.volcano.sh/queues /q", "get /v1/dump"} {
			api.allowed["jane: "+what] = true
		}
		r, jane := New(api), &User{Username: "jane", Groups: []string{"a", "b"},
			Extra: map[string]authenticationv1.ExtraValue{"k": {"v"}}}
		may := func(u *User, q Question) bool {
			t.Helper()
			ok, err := r.May(t.Context(), u, q)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		for q, want := range map[Question]bool{ListPods("red"): true, ListPods(""): false, ListPods("blue"): false,
			GetQueue("q"): true, GetQueue("p"): false, ListNodes(): false, GetPath("/v1/dump"): true, GetPath("/x"): false} {
			if got := may(jane, q); got != want {
				t.Errorf("%s: %v", q, got)
			}
		}
		before := api.asked
		if may(jane, ListPods("red")); api.asked != before {
			t.Error("an answer is not remembered")
		}
		delete(api.allowed, "jane: list /pods red/")
		if <-time.After(Lifetime + time.Second); may(jane, ListPods("red")) {
			t.Error("a right that was taken away holds on")
		}
		api.err = errors.New("down")
		<-time.After(Lifetime + time.Second)
		if ok, err := r.May(t.Context(), jane, GetQueue("q")); ok || !errors.Is(err, ErrUnanswered) {
			t.Errorf("of an API server that is down: %v, %v", ok, err)
		}
	})
}

// Users that differ in any part have answers of their own, whatever characters their names have.
func TestAnswersOfOthersAreNotTaken(t *testing.T) {
	users := []*User{{Username: "a"}, {Username: "a", UID: "b"}, {Username: "ab"}, {Username: "a", Groups: []string{"b"}},
		{Username: "a", Groups: []string{"b", "c"}}, {Username: "a", Groups: []string{"bc"}}, {Username: "a1:b"},
		{Username: "a", Groups: []string{"b1:c"}}, {Username: "a",
			Extra: map[string]authenticationv1.ExtraValue{"b": {"c"}}}, {Username: "a",
			Extra: map[string]authenticationv1.ExtraValue{"b": nil, "c": nil}}, {Username: "a", Groups: []string{"b", "0."}}}
	seen := map[[sha256.Size]byte]int{}
	for i, u := range users {
		if before, ok := seen[keyOf(u, Question{})]; ok {
			t.Errorf("%+v and %+v have one key", users[before], u)
		}
		seen[keyOf(u, Question{})] = i
	}
	same := &User{Username: "a", Extra: map[string]authenticationv1.ExtraValue{"x": {"1"}, "y": {"2"}, "z": {"3"}}}
	for range 20 {
		again := &User{Username: "a", Extra: map[string]authenticationv1.ExtraValue{"z": {"3"}, "y": {"2"}, "x": {"1"}}}
		if keyOf(same, Question{}) != keyOf(again, Question{}) {
			t.Fatal("the key depends on the order of a map")
		}
	}
}

// authority signs client certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	a.key, a.cert = signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "ca"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
	a.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
	return a
}

func signed(t *testing.T, c *x509.Certificate, by *authority) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	if c.NotAfter.IsZero() {
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := c, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, out
}

// A client certificate counts if the API server's authority signed it for clients, and it is not too old.
func TestClientCertificates(t *testing.T) {
	ours, other := newAuthority(t), newAuthority(t)
	forClients := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	jane := pkix.Name{CommonName: "jane", Organization: []string{"dev"}}
	old := &x509.Certificate{Subject: jane, ExtKeyUsage: forClients, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter: time.Now().Add(-time.Hour)}
	api := newAnswering()
	if _, err := api.CoreV1().ConfigMaps(publishedIn).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: publishedAs}, Data: map[string]string{publishedKey: ours.pem}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	r := New(api)
	certificate := func(c *x509.Certificate, by *authority) *http.Request {
		_, cert := signed(t, c, by)
		request := with("")
		request.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}}
		return request
	}
	good := func() *http.Request {
		return certificate(&x509.Certificate{Subject: jane, ExtKeyUsage: forClients}, ours)
	}
	if _, err := r.User(t.Context(), good()); !errors.Is(err, ErrUnknown) {
		t.Errorf("before the authority was read: %v", err)
	}
	if err := r.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := r.User(t.Context(), good())
	if err != nil || u.Username != "jane" || !slices.Equal(u.Groups, []string{"dev", authenticated}) {
		t.Errorf("%+v, %v", u, err)
	}
	for name, request := range map[string]*http.Request{
		"of another authority": certificate(&x509.Certificate{Subject: jane, ExtKeyUsage: forClients}, other),
		"of none":              certificate(&x509.Certificate{Subject: jane, ExtKeyUsage: forClients}, nil),
		"too old":              certificate(old, ours),
		"for servers": certificate(&x509.Certificate{Subject: jane,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, ours),
		"without a name": certificate(&x509.Certificate{ExtKeyUsage: forClients}, ours),
	} {
		if u, err := r.User(t.Context(), request); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %+v, %v", name, u, err)
		}
	}
	if err := api.CoreV1().ConfigMaps(publishedIn).Delete(context.Background(), publishedAs,
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_ = r.read(t.Context()) // it is gone
	if _, err := r.User(t.Context(), good()); !errors.Is(err, ErrUnknown) {
		t.Errorf("after the authority is gone: %v", err)
	}
}

// A user may be in hundreds of groups, and asks for whatever it likes: an answer takes little all the same.
func TestAnswersAboutUsersOfManyGroupsTakeLittle(t *testing.T) {
	jane := &User{Username: "jane"}
	for i := range 1000 {
		jane.Groups = append(jane.Groups, fmt.Sprintf("a group with a number that is %d", i))
	}
	r := New(newAnswering())
	before := heap.InUse()
	for i := range 300 {
		r.answers.Add(keyOf(jane, GetQueue(fmt.Sprint(i))), true, Lifetime)
	}
	if more := heap.InUse() - before; more > 1<<20 {
		t.Errorf("300 answers hold %d KiB", more>>10)
	}
	goruntime.KeepAlive(r)
	if a := keyOf(jane, GetQueue("a")); a == keyOf(jane, GetQueue("b")) || a == keyOf(jane, GetPath("a")) {
		t.Error("an answer is taken for another question")
	}
}
