/** The files of a run in a folder of this machine. */

import type { Artifacts } from "../../../engine/ports/files.ts";
import type { Registry } from "../../../engine/ports/registry.ts";
import { leadsIn } from "./link-target.ts";
import { archiveAll, carryAll } from "../replace/move.ts";
import { forgetPeoples, keepPeoples } from "../projection/people-sections.ts";
import { ownWrites } from "../replace/own-writes.ts";
import { presentIn } from "./present.ts";
import { prepareProjections } from "../projection/project.ts";
import { putArtifact } from "./put.ts";
import { readAll } from "./readings.ts";
import { copiesIn, recallAll } from "./earlier-attempt.ts";
import { tasksIn } from "./tasks.ts";
import { textsIn } from "./texts.ts";

type On = {
  readonly registry: Pick<Registry, "readings" | "keepReadings" | "projection" | "keepProjection">;
};

export function fileArtifacts({ registry }: On): Artifacts {
  const own = ownWrites();
  return {
    read: (place) => readAll(registry, place),
    tasks: (place, artifact) => tasksIn(place, artifact),
    present: (place, files) => presentIn(place, files),
    leads: (place, files) => leadsIn(place, files),
    texts: (place, of) => textsIn(place, of),
    put: (place, text) => putArtifact({ own, kept: registry }, place, text),
    copy: async (place, of) => (await import("./transfer.ts")).copyFiles(place, of),
    transfer: async (from, to, of) =>
      (await import("./transfer.ts")).transferArtifact({ own, kept: registry, place: to }, from, of),
    archive: (place, of) => {
      forgetPeoples({ kept: registry, place }, of.artifacts);
      return archiveAll(place, of);
    },
    recall: (place, of) => recallAll(registry, place, of),
    keep: (place, { into }) => keepPeoples({ kept: registry, own, place, into }),
    carry: (place, to) => Promise.resolve(carryAll(place, to, copiesIn(place))),
    project: (place, of) => prepareProjections({ kept: registry, own, place }, of),
  };
}
