package inspect

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// The lists of kinds with a namespace, under short names.
type (
	podList         = corev1.PodList
	podGroupList    = schedulingv1beta1.PodGroupList
	claimList       = corev1.PersistentVolumeClaimList
	deviceClaimList = resourcev1.ResourceClaimList
	budgetList      = policyv1.PodDisruptionBudgetList
	quotaList       = corev1.ResourceQuotaList
	serviceList     = corev1.ServiceList
	capacityList    = storagev1.CSIStorageCapacityList
)
