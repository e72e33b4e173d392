/** What turns used, in a table. */

import type { DataOf } from "../../app/schemas.ts";
import type { CostRow } from "../../app/view/cost/schemas.ts";
import { sayDuration } from "../../app/view/cost/words.ts";
import { firstLine, sayTime } from "../../app/view/words.ts";
import type { Paint } from "../paint.ts";
import { shortIds, table, type Cell, type Column } from "./table.ts";

type CostStyle = { readonly paint: Paint; readonly width?: number | undefined };

const NAME_MIN = 16;
const WHY_MIN = 20;

export function sayCosts({ rows, by }: DataOf<"cost">, how: CostStyle): string {
  const id = shortIds(rows.map(({ run }) => run));
  const amounts: readonly Column[] = [{ title: "TOKENS" }, { title: "COST" }, { title: "TIME" }];
  if (by === "turn") {
    const runs = new Set(rows.map(({ run }) => run));
    return table(
      [
        { title: "OVER" },
        { title: "ROLE", min: NAME_MIN },
        { title: "HARNESS" },
        { title: "MODEL" },
        ...amounts,
        { title: "END", min: WHY_MIN },
        { title: "RUN" },
      ],
      rows.map((row) => [
        sayTime(row.at),
        row.name,
        row.turn?.harness ?? "",
        row.turn?.model ?? "",
        ...amountsOf(row),
        endOf(row),
        runs.size > 1 ? id(row.run) : "",
      ]),
      how,
    );
  }
  return table(
    [{ title: by.toUpperCase(), min: NAME_MIN }, { title: "TURNS" }, ...amounts, { title: "ID" }],
    rows.map((row) => [firstLine(row.name), String(row.used.turns), ...amountsOf(row), id(row.run)]),
    how,
  );
}

function amountsOf({ used: { tokens, cost, ms } }: CostRow): readonly string[] {
  return [tokens, cost, sayDuration(ms)];
}

/** An ordinary end says nothing. */
function endOf({ turn }: CostRow): Cell {
  if (turn === null || (turn.end === "exited" && turn.failure === "")) return "";
  return { text: turn.failure || turn.end, style: turn.failure === "" ? "dim" : "red" };
}
