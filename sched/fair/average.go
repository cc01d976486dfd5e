package fair

import "math/bits"

// Average is a decayed average of an amount: what was held lately, where a time counts half as much once a half-life
// has passed. While a is held it follows U' = (a − U)·ln 2/h, so that what is held for ever is its own average. It is
// a fixed-point number: Whole units and Part/2^64 of one.
type Average struct{ Whole, Part uint64 }

// Zero says that nothing is left of it.
func (u Average) Zero() bool { return u == Average{} }

// Int64 is the average in whole units, rounded, held at the edge of int64.
func (u Average) Int64() int64 { return int64(min(u.Whole+u.Part>>63, 1<<63-1)) }

// Plus is the average of two holders together.
func (u Average) Plus(v Average) Average {
	part, carry := bits.Add64(u.Part, v.Part, 0)
	whole, over := bits.Add64(u.Whole, v.Whole, carry)
	if over != 0 {
		return Average{1<<64 - 1, 1<<64 - 1}
	}
	return Average{whole, part}
}

// Decay is 2^(−elapsed/halfLife), by which the distance between an average and what is held shrinks in that time. The
// zero Decay is that of no time.
type Decay struct {
	factor uint64 // of 2^64; 0 with gone false: 1
	shift  uint   // halvings besides
	gone   bool   // nothing is left
}

// DecayOver is the decay of a time, both in nanoseconds and halfLife above 0. Time that runs backwards decays nothing.
func DecayOver(elapsed, halfLife int64) Decay {
	if elapsed <= 0 {
		return Decay{}
	}
	whole, rest := elapsed/halfLife, elapsed%halfLife
	if whole >= 128 {
		return Decay{gone: true}
	}
	part, _ := bits.Div64(uint64(rest), 0, uint64(halfLife))
	return Decay{factor: halving(part), shift: uint(whole)}
}

// halving is 2^(−y/2^64) of 2^64, within 2^−58; 0 stands for 1.
func halving(y uint64) (f uint64) {
	for i, root := range roots {
		switch {
		case y>>(63-i)&1 == 0:
		case f == 0:
			f = root
		default:
			f, _ = bits.Mul64(f, root)
		}
	}
	// What is left of y is below 2^−32: 2^−z is 1 − z·ln 2 to the last digit.
	less, _ := bits.Mul64(y&(1<<32-1), ln2)
	if f == 0 {
		return -less
	}
	cut, _ := bits.Mul64(f, less)
	return f - cut
}

// ln2 is ln 2, of 2^64.
const ln2 = 0xb17217f7d1cf79ab

// roots are 2^(−1/2), 2^(−1/4), 2^(−1/8) …, of 2^64.
var roots = [32]uint64{
	0xb504f333f9de6484, 0xd744fccad69d6af4, 0xeac0c6e7dd24392e, 0xf5257d152486cc2c,
	0xfa83b2db722a033a, 0xfd3e0c0cf486c174, 0xfe9e115c7b8f884b, 0xff4ecb59511ec8a5,
	0xffa756521c8daed1, 0xffd3a751c0f7e10b, 0xffe9d2b2f7db2755, 0xfff4e91bff1b8c3d,
	0xfffa747ea0040664, 0xfffd3a3b7814eb53, 0xfffe9d1cc60ddab1, 0xffff4e8e25879bfa,
	0xffffa7470363f451, 0xffffd3a37dda0313, 0xffffe9d1bdf703ae, 0xfffff4e8debe025e,
	0xfffffa746f4fa150, 0xfffffd3a37a3f8b0, 0xfffffe9d1bd1065a, 0xffffff4e8de845ad,
	0xffffffa746f41376, 0xffffffd3a37a05e3, 0xffffffe9d1bd01fb, 0xfffffff4e8de80c0,
	0xfffffffa746f4050, 0xfffffffd3a37a024, 0xfffffffe9d1bd011, 0xffffffff4e8de808,
}

// Toward is the average after a decay in which held was held all the time. What is below zero counts as nothing.
func (u Average) Toward(held int64, by Decay) Average {
	a := uint64(max(held, 0))
	if u.Whole >= a {
		left := Average{u.Whole - a, u.Part}.shrunk(by)
		return Average{a + left.Whole, left.Part}
	}
	part, borrow := bits.Sub64(0, u.Part, 0)
	whole, _ := bits.Sub64(a, u.Whole, borrow)
	left := Average{whole, part}.shrunk(by)
	part, borrow = bits.Sub64(0, left.Part, 0)
	whole, _ = bits.Sub64(a, left.Whole, borrow)
	return Average{whole, part}
}

// shrunk is an average times a decay, rounded down.
func (u Average) shrunk(by Decay) Average {
	if by.gone {
		return Average{}
	}
	if by.factor != 0 {
		high, low := bits.Mul64(u.Whole, by.factor)
		part, _ := bits.Mul64(u.Part, by.factor)
		low, carry := bits.Add64(low, part, 0)
		u = Average{high + carry, low}
	}
	for n := by.shift; n > 0; {
		step := min(n, 63)
		u.Part = u.Part>>step | u.Whole<<(64-step)
		u.Whole >>= step
		n -= step
	}
	return u
}

// Remembered is the share of (1 − w)·allocated + w·used in what is deserved; weight is w in thousandths, from 0 to
// 1000. It is kept in steps of 2^−32 of what is deserved, up to 2^21 times that. Of nothing deserved it is as Share: a
// memory of what is deserved no longer decides nothing.
func Remembered(allocated int64, used Average, deserved, weight int64) Ratio {
	if deserved <= 0 || weight <= 0 {
		return Share(allocated, deserved)
	}
	now := steps(Average{Whole: uint64(max(allocated, 0))}, uint64(deserved))
	then := steps(used, uint64(deserved))
	return Ratio{num: uint64(1000-weight)*now + uint64(weight)*then, den: 1000 << stepBits}
}

// The resolution and the most of a remembered share.
const (
	stepBits = 32
	mostBits = 53 // 1000·2^53 is within 64 bits
)

// steps is amount/deserved in steps.
func steps(amount Average, deserved uint64) uint64 {
	high, low := amount.Whole>>(64-stepBits), amount.Whole<<stepBits|amount.Part>>(64-stepBits)
	if high >= deserved {
		return 1 << mostBits
	}
	n, _ := bits.Div64(high, low, deserved)
	return min(n, 1<<mostBits)
}
