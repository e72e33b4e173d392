/** `signalbox review`: what reviewers do, each part a command of its own. */

import type { Group } from "../../command.ts";

export const command: Group = {
  about: "Reviews, handed in field by field.",
  parts: {
    create: {
      about: "hand in a review as JSON: verdict, summary, issues",
      load: () => import("../../review/create.ts"),
    },
  },
  examples: ["signalbox review create review.json"],
};
