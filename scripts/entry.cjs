#!/usr/bin/env node
// Old Nodes must be able to read this file to say that they are too old: ES5 only, nothing above the check.
var version = process.versions.node.split(".");
var major = Number(version[0]);
if (major < 22 || (major === 22 && Number(version[1]) < 14)) {
  console.error(
    "signalbox needs Node 22.14 or newer; this is " +
      process.version +
      ". Install one from your system or with `npm i -g node@24`.",
  );
  process.exit(1);
}
// Whoever debugs gets the files as they are.
var isPlain =
  process.execArgv.length > 0 || process.env.NODE_OPTIONS || process.env.NODE_DISABLE_COMPILE_CACHE;
function whole() {
  return (isPlain ? require : require("./load.cjs").loader(__dirname, "BUILD", require))("./main.cjs");
}
// What an agent asks for, the supervisor may answer: then nothing else is loaded, and that little not by way of a cache.
if (process.env.SIGNALBOX_TOKEN) require("./front.cjs").main(whole);
else whole().main();
