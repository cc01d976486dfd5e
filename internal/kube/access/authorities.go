package access

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// The ConfigMap in which the API server publishes by which authorities it knows clients, and how often it is read.
const (
	publishedIn   = "kube-system"
	publishedAs   = "extension-apiserver-authentication"
	publishedKey  = "client-ca-file"
	publishedEach = time.Minute
)

// authorities are those that sign client certificates; nil: no certificate counts.
type authorities struct{ pool atomic.Pointer[x509.CertPool] }

// Run reads by which authorities clients are known, now and each minute until ctx ends. Where the ConfigMap may not
// be read, or names none, client certificates do not count; the log says so once.
func (r *Reviewer) Run(ctx context.Context) {
	again := time.NewTicker(publishedEach)
	defer again.Stop()
	said := ""
	for {
		err := r.read(ctx)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != said && ctx.Err() == nil {
			if said = text; err != nil {
				klog.InfoS("Client certificates do not count for the read API: their authorities cannot be read",
					"configMap", publishedIn+"/"+publishedAs, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

func (r *Reviewer) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := r.kube.CoreV1().ConfigMaps(publishedIn).Get(ctx, publishedAs, metav1.GetOptions{})
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		r.authorities.pool.Store(nil)
	}
	if err != nil {
		return err // those that were read last count on while the API server does not answer
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(m.Data[publishedKey])) {
		pool = nil
	}
	r.authorities.pool.Store(pool)
	return nil
}

// user is the user that a client certificate names, as the API server reads it: the common name is the user,
// the organizations are its groups. nil: there is none, or none that counts now.
func (a *authorities) user(c *tls.ConnectionState) *User {
	pool := a.pool.Load()
	if pool == nil || c == nil || len(c.PeerCertificates) == 0 {
		return nil
	}
	between := x509.NewCertPool()
	for _, cert := range c.PeerCertificates[1:] {
		between.AddCert(cert)
	}
	cert := c.PeerCertificates[0]
	_, err := cert.Verify(x509.VerifyOptions{Roots: pool, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err != nil || cert.Subject.CommonName == "" {
		return nil
	}
	return &User{Username: cert.Subject.CommonName,
		Groups: append(slices.Clone(cert.Subject.Organization), authenticated)}
}
