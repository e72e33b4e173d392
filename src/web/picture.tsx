/** The state diagram of a run: where it is, and which moves it took. The server has laid it out. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { DataOf } from "../app/schemas.ts";

type Drawing = DataOf<"picture">;
type Point = Drawing["start"];

const CORNER_PX = 14;
/** Smaller than this, names cannot be read: the rest is reached by scrolling. */
const SCALE_MIN = 0.8;

export function Picture({ of, tone }: { readonly of: Drawing; readonly tone: string }): JSX.Element {
  const { states, moves, start, width, height, more } = of;
  const frame = useRef<HTMLElement>(null);
  const x = states.find(({ current }) => current)?.x ?? 0;
  useEffect(() => {
    const { current: box } = frame;
    box?.scrollTo({ left: (x / width) * box.scrollWidth - box.clientWidth / 2 });
  }, [x, width]);
  return (
    <figure ref={frame} class="picture" tabIndex={0} aria-label="State diagram">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        style={{ minWidth: `${width * SCALE_MIN}px` }}
        role="img"
      >
        <title>{sayPicture(of)}</title>
        <defs>
          {["", "taken"].map((name) => (
            <marker
              key={name}
              id={`arrow${name}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerUnits="userSpaceOnUse"
              markerWidth="9"
              markerHeight="9"
              orient="auto-start-reverse"
            >
              <path class={`arrow ${name}`} d="M0,0.5 L8,4 L0,7.5 z" />
            </marker>
          ))}
        </defs>
        {moves
          .toSorted((a, b) => a.taken - b.taken)
          .map((move) => (
            <path
              key={`${move.from} ${move.to}`}
              class={move.taken > 0 ? "move taken" : "move"}
              d={pathOf(move.points)}
              marker-end={`url(#arrow${move.taken > 0 ? "taken" : ""})`}
            >
              <title>{`${move.from} to ${move.to}: ${move.labels.join("; ")}${move.taken > 1 ? `, taken ${move.taken} times` : ""}`}</title>
            </path>
          ))}
        <circle class="start" cx={start.x} cy={start.y} r="5" />
        {states.map((state) => (
          <State key={state.name} state={state} tone={tone} />
        ))}
      </svg>
      <figcaption class="quiet">
        Strong lines: the path that the run took. Filled: where it is now. Cancelling is possible from most
        states and is drawn only where it happened.
        {more === 0
          ? null
          : ` This workflow is large: ${more} states are left out that the run was not in and cannot enter next.`}
      </figcaption>
    </figure>
  );
}

function State({
  state,
  tone,
}: {
  readonly state: Drawing["states"][number];
  readonly tone: string;
}): JSX.Element {
  const { name, title, label, kind, x, y, width, height, visits, current } = state;
  return (
    <g class={`state ${kind} ${current ? `current ${tone}` : visits > 0 ? "visited" : ""}`}>
      <title>{title === "" ? name : `${name}: ${title}`}</title>
      <rect
        x={x - width / 2}
        y={y - height / 2}
        width={width}
        height={height}
        rx={kind === "plain" ? 6 : height / 2}
      />
      <text x={x} y={y + 4.5} text-anchor="middle">
        {label}
      </text>
      {visits > 1 ? (
        <text class="visits" x={x + width / 2 + 4} y={y - height / 2 + 4}>
          {`×${visits}`}
        </text>
      ) : null}
    </g>
  );
}

/** For readers that cannot see it. */
function sayPicture({ states }: Drawing): string {
  const here = states.find(({ current }) => current)?.name ?? "";
  const visited = states.filter(({ visits }) => visits > 0).map(({ name }) => name);
  return `The run is in ${here}. It has visited ${visited.join(", ")}.`;
}

/** Straight lines with rounded corners. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const parts = rest.map((point, at) => {
    const next = rest[at + 1];
    if (next === undefined) return `L${say(point)}`;
    const before = at === 0 ? first : (rest[at - 1] ?? first);
    return `L${say(towards(point, before))} Q${say(point)} ${say(towards(point, next))}`;
  });
  return `M${say(first)} ${parts.join(" ")}`;
}

/** The place on the way from one point to another where a corner begins. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(CORNER_PX, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function say({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
