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
// Compiled code is kept beside the bundle, which only those can write who may change the code; otherwise in the user's own cache.
function keepCompiled() {
  var mod = require("node:module");
  var home = process.env.XDG_CACHE_HOME || (process.env.HOME && process.env.HOME + "/.cache");
  var failed = mod.constants.compileCacheStatus.FAILED;
  if (mod.enableCompileCache(__dirname + "/.cache").status === failed && home)
    mod.enableCompileCache(home + "/signalbox");
}
keepCompiled();
require("./main.cjs").main();
