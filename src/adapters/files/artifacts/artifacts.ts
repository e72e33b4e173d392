/** The files of a run in a folder of this machine. */

import type { Artifacts } from "../../../engine/ports/files.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { collectedText } from "./readings.ts";
import { leadsIn } from "./link-target.ts";
import { archiveAll, carryAll } from "../replace/move.ts";
import { forgetPeoples, keepPeoples } from "../projection/people-sections.ts";
import { ownWrites } from "../replace/own-writes.ts";
import { presentIn } from "./present.ts";
import { writeProjections } from "../projection/project.ts";
import { readAll } from "./readings.ts";
import { copiesIn, recallAll } from "./earlier-attempt.ts";
import { filesWith, showText } from "./submitted-text.ts";
import { tasksIn } from "./tasks.ts";
import { textsIn } from "./tasks.ts";

export function fileArtifacts(store: Pick<Store, "readings" | "projection" | "commit">): Artifacts {
  const own = ownWrites();
  return {
    read: async (place, texts = []) => (await readAll(store, place, await filesWith(place, texts))).readings,
    collect: async (place, texts = []) => {
      const read = await readAll(store, place, await filesWith(place, texts));
      return { readings: read.readings, textOf: (reading) => collectedText(place, read, reading) };
    },
    tasks: (place, artifact) => tasksIn(place, artifact),
    present: (place, files) => presentIn(place, files),
    leads: (place, files) => leadsIn(place, files),
    texts: (place, of) => textsIn(place, of),
    show: (place, text) => showText({ own, store }, place, text),
    copy: async (place, of) => (await import("./transfer.ts")).copyFiles(place, of),
    archive: async (place, of) => {
      if (of.isCopy !== true) await forgetPeoples({ store, place }, of.artifacts);
      return archiveAll(place, of);
    },
    recall: (place, of) => recallAll(store, place, of),
    keep: (place, { into }) => keepPeoples({ store, own, place, into }),
    carry: (place, to) => Promise.resolve(carryAll(place, to, copiesIn(place))),
    project: (place, of) => writeProjections({ store, own, place }, of),
  };
}
