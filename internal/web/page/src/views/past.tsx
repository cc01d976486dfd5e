// What happened to a job, decision by decision: asked for when somebody opens it, since it takes the scheduler a while.
import { useAnswer } from "../api";
import { clock } from "../amounts";
import { useWorld } from "../store";
import { command } from "../transport";
import type { History, Job } from "../types";
import { go, usePlace } from "../url";
import { t } from "../words";

const mostMoments = 40, mostSentences = 5;

export function Past({ job }: { job: Job }) {
  const world = useWorld();
  const open = usePlace().get("past") !== "";
  if (!world.state.source || world.state.source === "dump" || job.owner) return null; // a saved state is one moment
  return (
    <details className="past" open={open} onToggle={(e) => { if (e.currentTarget.open !== open) go("jobs", { past: e.currentTarget.open ? "1" : "" }, true); }}>
      <summary>{t("What happened to it")}</summary>
      {open && <Moments job={job} />}
    </details>
  );
}

function Moments({ job }: { job: Job }) {
  const world = useWorld();
  const live = world.state.play === undefined;
  const all = usePlace().get("past") === "all";
  const { data, error } = useAnswer<History>(`/v1/history/job/${encodeURIComponent(job.namespace)}/${encodeURIComponent(job.name)}`, world.moment, live ? 10_000 : 1000);
  if (!data) return <p className={error ? "note" : "note trying"}>{error ?? t("Its history is being read…")}</p>;
  if (data.moments.length === 0) return <p className="note">{t("Nothing is known of it.")}</p>;
  const moments = [...data.moments].reverse();
  const shown = all ? moments : moments.slice(0, mostMoments);
  return (
    <>
      <ol className="moments">{shown.map((m, i) => (
        <li key={`${m.cycle ?? 0}/${m.time}/${i}`}>
          <When time={m.time} cycle={m.cycle} />
          <ul>{m.what.slice(0, mostSentences).map((w, n) => <li key={n}>{w}</li>)}{m.what.length > mostSentences && <li className="note">+ {m.what.length - mostSentences}</li>}</ul>
        </li>
      ))}</ol>
      {shown.length < moments.length && <button className="link" onClick={() => go("jobs", { past: "all" }, true)}>+ {moments.length - shown.length} {t("earlier moments")}</button>}
      {data.notes.map((n) => <p key={n} className="note">{n.charAt(0).toUpperCase() + n.slice(1)}.</p>)}
    </>
  );
}

/** The time of a moment; in a run that is played a press goes there. */
function When({ time, cycle }: { time: string; cycle?: number }) {
  const { state, at } = useWorld();
  const play = state.play;
  const title = cycle ? `${t("Cycle")} ${cycle}` : "";
  if (!play) return <time title={title}>{time.slice(11, 19)}</time>;
  const seconds = play.now + (Date.parse(time) - at) / 1000;
  return <button className="link" title={title} onClick={() => void command({ playing: false, seek: Math.max(0, seconds) })}>{clock(seconds)}</button>;
}
