package fair

import "testing"

func BenchmarkFill1000(b *testing.B) {
	claims := benchClaims(1000)
	out := make([]int64, len(claims))
	var f Filler
	f.Fill(1<<40, claims, out)
	b.ReportAllocs()
	for b.Loop() {
		f.Fill(1<<40, claims, out)
	}
}

func benchClaims(n int) []Claim {
	x := uint64(1)
	next := func(bound uint64) int64 {
		x = x*6364136223846793005 + 1442695040888963407
		return int64((x >> 33) % bound)
	}
	claims := make([]Claim, n)
	for i := range claims {
		floor := next(1 << 29)
		claims[i] = Claim{Weight: 1 + next(100), Floor: floor, Cap: floor + next(1<<31)}
	}
	return claims
}
