// Package rbacfallback lets a client do its work with fewer rights than it asks for: where the API
// server forbids to patch an object, the object is read, changed and updated; where it forbids
// to get one, the object is listed by its name.
//
// Volcano's chart grants its scheduler `update` of statuses and not `patch`, and `list` of
// PodGroups and not `get`. A scheduler that takes the place of Volcano's by its image alone has
// these rights and no others.
//
// An update carries the version that was read, so nothing that somebody else wrote meanwhile is
// lost; the preconditions of a patch (UID, resourceVersion) hold as they do for the patch.
package rbacfallback
