import { Component, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { ask } from "./api";
import { Empty } from "./bits";
import { note } from "./history";
import { useWorld } from "./store";
import { command, Transport } from "./transport";
import type { Problem } from "./types";
import { address, go, usePlace, views, type View } from "./url";
import { Cluster } from "./views/cluster";
import { Jobs } from "./views/jobs";
import { Pulse } from "./views/pulse";
import { Queues } from "./views/queues";
import { Recorder } from "./views/recorder";
import { WhatIf } from "./views/whatif";
import { isChinese, t } from "./words";

const shown: Record<View, () => ReactNode> = { pulse: Pulse, jobs: Jobs, queues: Queues, cluster: Cluster, recorder: Recorder };
const names: Record<View, string> = { pulse: "Pulse", jobs: "Jobs", queues: "Queues", cluster: "Cluster", recorder: "Recorder" };
const sources: Record<string, string> = { dump: "Saved state", recording: "Recording", cluster: "Live cluster" };
const icons: Record<View, string> = {
  pulse: "M1 9h3l2-6 4 11 2-5h3", jobs: "M2 3h12M2 8h12M2 13h8", queues: "M2 3h5v4H2zM9 9h5v4H9zM4.500 7v4H9",
  cluster: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z", recorder: "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM8 4.500V8l2.500 2",
};

export function App() {
  const world = useWorld();
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  const theme = place.get("theme");
  const lang = isChinese() ? "zh" : "en";
  useLayoutEffect(() => { // before charts read its colours
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    document.documentElement.lang = lang;
  }, [theme, lang]);
  useEffect(() => {
    document.title = `${t(names[place.view])} · ${world.state.title ? `${world.state.title} · ` : ""}Ashlar`;
  }, [place.view, world.state.title, lang]);
  useSought();
  useKeys();
  useEffect(() => { note(world); }, [world.at]);
  const View = shown[place.view];
  if (world.link === "shut") return <Empty title={t("This page is open elsewhere")}>{t("End “ashlar web” and start it again to open it here.")}</Empty>;
  return (
    <div className={world.state.play ? "app timed" : "app"}>
      <a className="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>{t("Skip to content")}</a>
      <nav aria-label={t("Main")}>
        <div className="brand" aria-hidden="true"><svg viewBox="0 0 32 32"><rect x="3" y="19" width="12" height="8" rx="1.500" /><rect x="17" y="19" width="12" height="8" rx="1.500" /><rect x="10" y="9" width="12" height="8" rx="1.500" /></svg></div>
        {views.map((v) => (
          <a key={v} href={address(v)} aria-current={v === place.view ? "page" : undefined}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d={icons[v]} /></svg><span>{t(names[v])}</span>
          </a>
        ))}
      </nav>
      <header className="top">
        <h1>{t(names[place.view])}</h1>
        <p className="source">{world.state.title}{world.state.source && <span className="chip quiet">{t(sources[world.state.source] ?? "Simulation")}</span>}</p>
        {world.state.scheduler && world.state.version !== world.state.scheduler && <span className="chip warn" title={`${world.state.version ?? ""} / ${world.state.scheduler}`}>{t("The scheduler is of another version")}: {world.state.scheduler}</span>}
        <Problems />
        <span className="grow" />
        {world.state.whatIf && <button className="button" onClick={() => go(place.view, { whatif: "queue" })}>{t("What if…")}</button>}
        <button className="icon text" onClick={() => go(place.view, { lang: lang === "zh" ? "en" : "zh" }, true)} lang={lang === "zh" ? "en" : "zh"}>{lang === "zh" ? "EN" : "中文"}</button>
        <button className="icon" aria-label={t("Light or dark")} onClick={() => go(place.view, { theme: isDark(theme) ? "light" : "dark" }, true)}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.500a6.500 6.500 0 1 0 0 13zM8 1.500a6.500 6.500 0 0 1 0 13" /></svg>
        </button>
      </header>
      <div role="status" className="link-state">
        {world.link === "broken" && <p className="banner">{t("The connection is broken. What is shown may be old; it is tried again.")} {world.why && <small>{world.why}</small>}</p>}
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        {world.link === "opening" && world.state.cycle === 0 ? <Empty title={t("Connecting…")} /> : <Guard key={place.view}><View /></Guard>}
      </main>
      <Transport />
      {place.get("whatif") !== "" && world.state.whatIf && <WhatIf key={place.view} />}
    </div>
  );
}

const isDark = (theme: string) => (theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

/** An address that names a moment goes there, once. */
function useSought(): void {
  const world = useWorld();
  const place = usePlace();
  const done = useRef(false);
  useEffect(() => {
    if (done.current || !world.state.play) return;
    done.current = true;
    const at = Number(place.get("at"));
    if (at > 0) void command({ playing: false, seek: at });
  }, [world.state.play]);
}

/** g and a letter goes to a view; the space bar pauses and plays. */
function useKeys(): void {
  const world = useWorld();
  const play = useRef(world.state.play);
  play.current = world.state.play;
  useEffect(() => {
    let after = "";
    const listen = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|BUTTON|A|SUMMARY)$/.test((e.target as HTMLElement).tagName)) return;
      if (after === "g") {
        const view = e.key === "t" ? "recorder" : views.find((v) => v.startsWith(e.key));
        if (view) go(view);
      } else if (e.key === " " && play.current) {
        e.preventDefault();
        void command({ playing: !play.current.playing });
      }
      after = e.key;
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function Problems() {
  const world = useWorld();
  const [list, setList] = useState<Problem[] | null>(null);
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { if (list) box.current?.showModal(); }, [list]);
  const n = world.state.problems ?? 0;
  if (n === 0) return null;
  return (
    <>
      <button className="chip warn" onClick={() => void ask<{ items: Problem[] }>("/v1/problems").then((p) => setList(p.items), () => undefined)}>{n} {t(n === 1 ? "problem in the input" : "problems in the input")}</button>
      {list && (
        <dialog ref={box} className="whatif" aria-label={t("Problems")} onClose={() => setList(null)}>
          <div className="sheet"><header><h2>{t("Problems")}</h2><button className="icon" onClick={() => setList(null)} aria-label={t("Close")}>✕</button></header>
            <ul className="plain">{list.slice(0, 500).map((p, i) => <li key={i}><b>{p.object}</b><br />{p.message}</li>)}</ul></div>
        </dialog>
      )}
    </>
  );
}

/** An error in one view is told there, and the rest of the page goes on. */
class Guard extends Component<{ children: ReactNode }, { fault: string }> {
  override state = { fault: "" };
  static getDerivedStateFromError(e: unknown) { return { fault: e instanceof Error ? e.message : String(e) }; }
  override render() {
    return this.state.fault ? <Empty title="This view has failed">{this.state.fault}</Empty> : this.props.children;
  }
}
