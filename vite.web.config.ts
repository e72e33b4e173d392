/** Builds the page into files that the server's strict content security policy allows: no inline script or style. */
import { defineConfig } from "vite";

export default defineConfig({
  root: "src/web",
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2024",
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
