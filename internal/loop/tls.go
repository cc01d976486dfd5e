package loop

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// config is a server's; an error says that the files cannot be used as they are now.
func (t TLS) config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return t.certificate() }}
	if _, err := t.certificate(); err != nil {
		return nil, err
	}
	if t.CA == "" {
		return c, nil
	}
	text, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("read the certificate authorities for clients: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", t.CA)
	}
	return c, nil
}

func (t TLS) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.Certificate, t.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificate to serve with: %w", err)
	}
	return &pair, nil
}
