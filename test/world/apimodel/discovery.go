package apimodel

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// discovery is what is served below a path, false if the path asks for something else.
func (s *Server) discovery(path string) (any, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/version":
		return map[string]any{"major": "1", "minor": "36", "gitVersion": "v1.36.3"}, true
	case path == "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}, true
	case path == "/apis":
		return s.groups(), true
	case len(parts) == 2 && parts[0] == "api":
		return s.served(parts[1])
	case len(parts) == 3 && parts[0] == "apis":
		return s.served(parts[1] + "/" + parts[2])
	}
	return nil, false
}

func (s *Server) groups() metav1.APIGroupList {
	out := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	seen := map[string]bool{}
	for _, k := range s.ordered {
		if k.Group == "" || seen[k.Group] {
			continue
		}
		seen[k.Group] = true
		version := metav1.GroupVersionForDiscovery{GroupVersion: k.apiVersion(), Version: k.Version}
		out.Groups = append(out.Groups, metav1.APIGroup{Name: k.Group, PreferredVersion: version,
			Versions: []metav1.GroupVersionForDiscovery{version}})
	}
	return out
}

func (s *Server) served(version string) (any, bool) {
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: version}
	for _, k := range s.ordered {
		if k.apiVersion() == version {
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: k.Resource, Kind: k.Kind,
				Namespaced: k.Namespaced,
				Verbs:      metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}})
		}
	}
	return out, len(out.APIResources) > 0
}
