package kubescheduler

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// admitted gives an object the API server's defaults, and says that it would be stored. Kinds other than those whose
// fields are made smaller are taken as they are.
func admitted(o runtime.Object) bool { return len(wrong(o)) == 0 }

func wrong(o runtime.Object) field.ErrorList {
	switch o := o.(type) {
	case *corev1.Pod:
		defaults.SetObjectDefaults_Pod(o)
		var internal core.Pod
		if err := defaults.Convert_v1_Pod_To_core_Pod(o.DeepCopy(), &internal, nil); err != nil {
			return field.ErrorList{field.InternalError(nil, err)}
		}
		return validation.ValidatePodCreate(&internal, podutil.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec,
			nil,
			&internal.ObjectMeta, nil))
	case *corev1.Node:
		defaults.SetObjectDefaults_Node(o)
		var internal core.Node
		if err := defaults.Convert_v1_Node_To_core_Node(o.DeepCopy(), &internal, nil); err != nil {
			return field.ErrorList{field.InternalError(nil, err)}
		}
		return validation.ValidateNode(&internal)
	case *corev1.PersistentVolume:
		defaults.SetObjectDefaults_PersistentVolume(o)
		var internal core.PersistentVolume
		if err := defaults.Convert_v1_PersistentVolume_To_core_PersistentVolume(o.DeepCopy(), &internal,
			nil); err != nil {
			return field.ErrorList{field.InternalError(nil, err)}
		}
		return validation.ValidatePersistentVolume(&internal, validation.ValidationOptionsForPersistentVolume(&internal,
			nil))
	case *corev1.PersistentVolumeClaim:
		defaults.SetObjectDefaults_PersistentVolumeClaim(o)
		var internal core.PersistentVolumeClaim
		if err := defaults.Convert_v1_PersistentVolumeClaim_To_core_PersistentVolumeClaim(o.DeepCopy(), &internal,
			nil); err != nil {
			return field.ErrorList{field.InternalError(nil, err)}
		}
		return validation.ValidatePersistentVolumeClaim(&internal,
			validation.ValidationOptionsForPersistentVolumeClaimCreate())
	default:
		return nil
	}
}
