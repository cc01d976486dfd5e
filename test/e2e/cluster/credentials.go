package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// writeToken writes the API server's token file, with one user who may do everything, and returns
// the user's token.
func writeToken(path string) (string, error) {
	token := rand.Text()
	return token, os.WriteFile(path, []byte(token+",admin,admin,system:masters\n"), 0o600)
}

// writeServiceAccountKey writes the key by which service-account tokens are signed and checked.
func writeServiceAccountKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return os.WriteFile(path, block, 0o600)
}

// writeKubeconfig writes what config says as a kubeconfig file, complete in itself.
func writeKubeconfig(path string, config *rest.Config) error {
	const name = "ashlar"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	return clientcmd.WriteToFile(*file, path)
}
