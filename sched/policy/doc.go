// Package policy is what the engine may be told to do: extension points, tiers, and
// the profile that fills them.
//
// An extension point is an interface of one question. A plugin is any value that
// implements some of them; which ones is found out once, when a profile is read
// (Build). Questions are asked tier by tier in the configured order, and the rule by
// which answers combine is a method of Set, one for each point, with its name from
// the catalogue of rules A to J (docs/plugins.md).
//
// Three answers have three names: a Vote permits, abstains or rejects; a Verdict on a
// node admits, or refuses with the reason and whether room freed there would cure it.
//
// A plugin keeps configuration and opinions. Sums that depend on who sits where belong
// into a ledger.PluginState. What a plugin derives from the ledger it derives in Open, and
// it stands still until the next cycle unless its doc says otherwise.
package policy
