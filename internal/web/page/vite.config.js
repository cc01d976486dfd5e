// Builds the page into ../dist, with fixed names, so that what is committed is a small diff and Go can embed it. The last
// file is the hash of the sources: `go test` compares it with theirs, without node.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const out = join(here, "../dist");

/** Every file that the page is made of, with slashes, sorted by bytes. */
function sources(dir = "") {
  const found = [];
  for (const entry of readdirSync(join(here, dir), { withFileTypes: true })) {
    const name = dir ? `${dir}/${entry.name}` : entry.name;
    if (entry.name === "node_modules") continue;
    if (entry.isDirectory()) found.push(...sources(name));
    else found.push(name);
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function stamp() {
  const sum = createHash("sha256");
  for (const name of sources()) sum.update(`${name}\0`).update(readFileSync(join(here, name))).update("\0");
  return sum.digest("hex") + "\n";
}

export default defineConfig({
  base: "/",
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2023",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "[name].js",
        assetFileNames: (a) => (a.names.some((n) => n.endsWith(".css")) ? "app.css" : "[name][extname]"),
        codeSplitting: false,
      },
    },
  },
  plugins: [{ name: "stamp", closeBundle: () => writeFileSync(join(out, "sources.sha256"), stamp()) }],
});
