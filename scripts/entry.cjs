#!/usr/bin/env node
// Old Nodes must be able to read this file to say that they are too old: ES5 only, nothing above the check.
var version = process.versions.node.split(".");
var major = Number(version[0]);
if (major < 22 || (major === 22 && Number(version[1]) < 14)) {
  var way = "Install one from your system or with `npm i -g node@24`.";
  console.error("signalbox needs Node 22.14 or newer; this is " + process.version + ". " + way);
  process.exit(1);
}

// Loads the chunks of the bundle with the code that V8 compiled for them in earlier runs of the same command. Node's own compile cache
// saves code before a file runs, so it lacks every function that is compiled on its first call.
//
// A cache file is a line of JSON, then the compiled code of each chunk. The first RUNS runs that succeed write it, because each may call
// other functions; so does a run that loads a chunk without valid code. A cache that cannot be read or written costs time, nothing else.
var fs = require("node:fs");
var path = require("node:path");
var vm = require("node:vm");
var RUNS = 4;
var EXIT_OK = 0;
var EXIT_WAITS = 3;

var loaded = {};
var places = process.env.NODE_DISABLE_COMPILE_CACHE ? [] : placesOfCache();
var cache = readCache();
var isKept = cache.runs >= RUNS;
process.on("exit", function (code) {
  if (!isKept && (code === EXIT_OK || code === EXIT_WAITS)) places.some(writeCache);
});
load("./main.cjs").main();

function load(id) {
  if (id.slice(0, 2) !== "./") return require(id);
  var file = __dirname + id.slice(1);
  // Where Node itself keeps what is loaded: debuggers and tests look there.
  if (require.cache[file]) return require.cache[file].exports;
  var made = (require.cache[file] = { id: file, filename: file, exports: Object.create(null) });
  var time = fs.statSync(file).ctimeMs;
  // V8 compares nothing but the length of a source. One chunk that has changed means another bundle.
  if (cache.chunks[id] && cache.chunks[id].time !== time) cache = { runs: 0, chunks: {} };
  var source = fs.readFileSync(file, "utf8");
  var saved = cache.chunks[id] && cache.chunks[id].code;
  var wrapped = "(function (exports, require, module, __filename, __dirname) {" + source + "\n})";
  var script = new vm.Script(wrapped, { filename: file, cachedData: saved });
  if (script.cachedDataRejected !== false) isKept = false;
  loaded[id] = { time: time, script: script };
  script.runInThisContext()(made.exports, load, made, file, __dirname);
  return made.exports;
}

// Beside the bundle, where only those can write who may change the code; otherwise in the user's own cache.
function placesOfCache() {
  var word = /^[a-z-]*/.exec(process.argv[2] || "")[0];
  var name = [process.version, process.arch, process.geteuid(), word].join("-");
  var home = process.env.XDG_CACHE_HOME || path.join(process.env.HOME || "", ".cache");
  var beside = path.join(__dirname, ".cache", name);
  // A relative path would lead into the folder in which the command is called.
  return path.isAbsolute(home) ? [beside, path.join(home, "signalbox", __dirname, name)] : [beside];
}

function readCache() {
  for (var n = 0; n < places.length; n += 1) {
    try {
      return cacheIn(readOwn(places[n]));
    } catch (error) {
      // There may be one in the next place.
    }
  }
  return { runs: 0, chunks: {} };
}

// V8 trusts these bytes as it trusts the program: they must be from this user, wherever the environment leads.
function readOwn(file) {
  var fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    if (fs.fstatSync(fd).uid !== process.geteuid()) throw new Error("not from this user");
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function cacheIn(bytes) {
  var from = bytes.indexOf("\n") + 1;
  var found = JSON.parse(bytes.toString("latin1", 0, from));
  if (from + found.length !== bytes.length) throw new Error("incomplete");
  Object.values(found.chunks).forEach(function (chunk) {
    chunk.code = bytes.subarray(from, (from += chunk.length));
  });
  return found;
}

// The file is complete or missing, also after a power failure and with several processes that write it.
function writeCache(place) {
  var first = { runs: cache.runs + 1, length: 0, chunks: {} };
  var codes = [];
  Object.keys(Object.assign({}, cache.chunks, loaded)).forEach(function (id) {
    var chunk = loaded[id] || cache.chunks[id];
    var code = chunk.script ? chunk.script.createCachedData() : chunk.code;
    first.chunks[id] = { time: chunk.time, length: code.length };
    first.length += code.length;
    codes.push(code);
  });
  codes.unshift(Buffer.from(JSON.stringify(first) + "\n"));
  var aside = place + "." + process.pid;
  try {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(aside, Buffer.concat(codes), { flag: "wx", flush: true });
    fs.renameSync(aside, place);
    return true;
  } catch (error) {
    if (fs.existsSync(aside)) fs.rmSync(aside);
    return false;
  }
}
