package readapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// Labels of the Lease by which clients find the read API of the scheduler that acts: of the pod that the lease's
// holder names before the first "_", its namespace and the port; and the certificate's fingerprint (LabelOf).
// Only this scheduler and administrators may write the Lease.
const (
	LabelNamespace   = "ashlar.sh/read-api-namespace"
	LabelPort        = "ashlar.sh/read-api-port"
	LabelCertificate = "ashlar.sh/read-api-certificate"
)

// Files name a certificate and its key in PEM; both "": the server makes a certificate of its own, which clients know
// by its fingerprint.
type Files struct{ Certificate, Key string }

// lasts is for how long a certificate of our own is good: longer than any process.
const lasts = 10 * 365 * 24 * time.Hour

// certificates returns what to serve with. Files are read anew for each connection, so that a certificate that is
// replaced takes effect.
func (f Files) certificates() (get func(*tls.ClientHelloInfo) (*tls.Certificate, error), first *tls.Certificate,
	err error) {
	if f == (Files{}) {
		if first, err = selfSigned(time.Now()); err != nil {
			return nil, nil, fmt.Errorf("make a certificate for the read API: %w", err)
		}
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return first, nil }, first, nil
	}
	load := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate of the read API: %w", err)
		}
		return &pair, nil
	}
	if first, err = load(); err != nil {
		return nil, nil, err
	}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return load() }, first, nil
}

// selfSigned makes a certificate that no authority vouches for.
func selfSigned(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	names := []string{"ashlar-read-api", "localhost"}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	text := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "ashlar-read-api"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lasts), DNSNames: names,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, text, text, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// Fingerprint is the SHA-256 of a certificate in the form of openssl: hexadecimal bytes with colons.
func Fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	text := strings.ToUpper(hex.EncodeToString(sum[:]))
	var parts []string
	for i := 0; i < len(text); i += 2 {
		parts = append(parts, text[i:i+2])
	}
	return strings.Join(parts, ":")
}

// LabelOf is the same SHA-256 in a form that fits into the value of a label: base32 in small letters.
func LabelOf(der []byte) string {
	sum := sha256.Sum256(der)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
}
