// Time: play, pause, faster, back. It is there for simulations only; a live cluster has no such knobs.
import { useEffect, useState } from "react";
import { ask } from "./api";
import { clock, day } from "./amounts";
import { setState, useWorld } from "./store";
import type { State } from "./types";
import { go, here } from "./url";
import { t } from "./words";

export interface Command { playing?: boolean; speed?: number; seek?: number; frame?: number }

/** command changes how the run is shown. Where time stands still, the address says where. */
export async function command(c: Command): Promise<void> {
  const state = await ask<State>("/v1/play", c);
  setState(state);
  const p = state.play;
  if (p) go(here().view, { at: !p.playing && p.now < p.edge ? String(Math.floor(p.now)) : "" }, true);
}

const speeds = [1, 10, 60, 300, 1000, 3000, 10_000, 100_000];

/** A clock that goes on between two answers. */
function useClock(): number {
  const { state } = useWorld();
  const [, beat] = useState(0);
  const [base, setBase] = useState({ now: 0, at: 0 });
  const play = state.play;
  useEffect(() => { if (play) setBase({ now: play.now, at: performance.now() }); }, [play]);
  useEffect(() => {
    if (!play?.playing) return;
    const timer = setInterval(() => beat((n) => n + 1), 200);
    return () => clearInterval(timer);
  }, [play?.playing]);
  if (!play) return 0;
  return play.playing ? base.now + ((performance.now() - base.at) / 1000) * play.speed : play.now;
}

export function Transport() {
  const { state } = useWorld();
  const now = useClock();
  const [drag, setDrag] = useState<number | null>(null);
  const play = state.play;
  if (!play) return null;
  const edge = Math.max(play.edge, play.playing ? Math.min(now, play.edge + play.speed * 2) : play.edge, 1);
  const past = play.now < play.edge - 1 && !play.playing;
  return (
    <div className="transport" role="region" aria-label={t("Position in time")}>
      <button className="icon play" onClick={() => command({ playing: !play.playing })} aria-label={play.playing ? t("Pause") : t("Play")}
        disabled={play.ended && !past && !play.playing}>
        <svg viewBox="0 0 16 16" aria-hidden="true">{play.playing ? <path d="M4 3h3v10H4zM9 3h3v10H9z" /> : <path d="M4 2.5v11l9-5.500z" />}</svg>
      </button>
      <button className="icon" onClick={() => command({ playing: false, frame: -1 })} aria-label={t("One step back")}>‹</button>
      <button className="icon" onClick={() => command({ playing: false, frame: 1 })} aria-label={t("One step on")}>›</button>
      <output className="clock" title={day(drag ?? now)}>{clock(drag ?? now)}</output>
      <input type="range" min={0} max={Math.ceil(edge)} step="any" value={drag ?? Math.min(now, edge)} aria-label={t("Position in time")}
        aria-valuetext={clock(now)}
        onChange={(e) => { const to = Number(e.currentTarget.value); setDrag(to); void command({ playing: false, seek: to }).then(() => setDrag(null)); }} />
      {past && <button className="chip past" onClick={() => command({ seek: 1e9, playing: false })}><span className="unless-phone">{t("the past")} · </span>{t("To the latest")}</button>}
      {play.ended && !past && <span className="chip quiet">{t("the run has ended")}</span>}
      <label className="speed"><span className="unseen">{t("Speed")}</span>
        <select value={play.speed} onChange={(e) => void command({ speed: Number(e.currentTarget.value) })}>
          {[...new Set([...speeds, play.speed])].sort((a, b) => a - b).map((s) => <option key={s} value={s}>{s.toLocaleString("en").replaceAll(",", " ")}×</option>)}
        </select>
      </label>
    </div>
  );
}
