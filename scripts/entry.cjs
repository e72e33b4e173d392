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
// The cache only saves time: where its folder cannot be written, Node reports that in the result and goes on.
require("node:module").enableCompileCache();
// What an agent asks for, the supervisor may answer: then nothing else is loaded.
require(process.env.SIGNALBOX_TOKEN ? "./front.cjs" : "./main.cjs").main();
