/**
 * What a person has to decide about a run.
 *
 * Each button is an action of the view that says which use case it calls, and with what: the page adds the person's words. What can only
 * be typed is shown as a command.
 */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ActionView, QuestionView, RunView } from "../app/view/run-view.ts";
import { call, type CallReply, type Rights } from "./api.ts";
import { capitalised, Lines } from "./words.tsx";

type ActionCall = NonNullable<ActionView["call"]>;
type DecisionReply = {
  readonly ok: boolean;
  readonly message: string;
  readonly next: string;
  /** The visit of its state in which the run was. */
  readonly entry: number;
};

type DecisionProps = {
  readonly view: RunView;
  readonly own: Rights;
  readonly isOffline: boolean;
  readonly tone: string;
};

export function DecisionPanel({ view, own, isOffline, tone }: DecisionProps): JSX.Element | null {
  const [text, setText] = useState("");
  const [reply, setReply] = useState<DecisionReply | undefined>();
  const [isBusy, setBusy] = useState(false);
  const { decision, question, actions, closed, entry } = view;
  const isWaiting = decision !== null || actions.some(({ call: made }) => made !== undefined);
  const canCancel = view.others.some(({ verb }) => verb === "cancel");
  const others =
    isWaiting || canCancel || view.waits.kind === "over" ? view.others : [...view.others, cancelOf(view)];

  const decide = async (made: ActionCall): Promise<void> => {
    if (made.words === "required" && text.trim() === "")
      return setReply({
        ok: false,
        message: NEEDS_WORDS[made.use] ?? "Say it in your words first.",
        next: "",
        entry,
      });
    setBusy(true);
    const answered = await send(made, text.trim());
    setBusy(false);
    setReply(
      answered.ok
        ? {
            ok: true,
            message: [capitalised(answered.message), ...answered.notes].join(". "),
            next: "",
            entry,
          }
        : { ...answered, entry },
    );
    if (answered.ok) setText("");
  };
  // What became of a decision is old news once the run waits for the next one.
  const shown = reply?.ok === true && isWaiting && reply.entry !== entry ? undefined : reply;
  const isOff = !own.mayDecide || isBusy || isOffline;
  const buttons = (of: readonly ActionView[]): JSX.Element => (
    <Actions of={of} isOff={isOff} decide={(made) => void decide(made)} />
  );

  if (!isWaiting && others.length === 0 && shown === undefined) return null;
  return (
    <section class={`decision ${isWaiting ? tone : "calm"}`} aria-label="Your decision">
      {isWaiting ? <h2>{decision?.question || "What you can do"}</h2> : null}
      <Lines of={decision?.asked ?? []} />
      {question?.parts === undefined ? null : <Parts question={question} run={view.run} isOff={isOff} />}
      {isWaiting ? (
        <>
          <label class="words">
            Your words
            <textarea
              value={text}
              placeholder={sayUse(actions)}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          {buttons(actions)}
        </>
      ) : null}
      {others.length === 0 ? null : (
        <details class="others">
          <summary>{isWaiting ? "Other moves" : "Interrupt it"}</summary>
          {buttons(others)}
        </details>
      )}
      {own.mayDecide || !isWaiting ? null : (
        <p class="quiet">This page only looks so far. The top of the page says how to decide here.</p>
      )}
      <p class={shown?.ok === false ? "refused" : "said"} role="status">
        {shown?.message} {(shown?.next ?? "") === "" ? null : <code>{shown?.next}</code>}
      </p>
      {closed.map(({ verb, reason }) => (
        <p key={verb} class="quiet">
          {sayVerb(verb)} is not possible now: {reason}
        </p>
      ))}
    </section>
  );
}

/** A run that waits for a machine offers no decision, and can be cancelled all the same. */
function cancelOf({ run, entry }: RunView): ActionView {
  return {
    command: `signalbox cancel ${run}`,
    sentence: "end it early",
    verb: "cancel",
    call: { use: "cancel", input: { run, entry }, words: "optional" },
  };
}

const NEEDS_WORDS: Readonly<Record<string, string>> = {
  "send-back": "Say what is to be changed: the agent gets your words.",
  answer: "Write your answer first: the agent gets your words.",
  accept: "Say why you accept it.",
};

async function send({ use, input }: ActionCall, text: string): Promise<CallReply<unknown>> {
  return call(use, { ...input, key: crypto.randomUUID(), ...(text === "" ? {} : { text }) });
}

function sayVerb(verb: string): string {
  return capitalised(verb.replaceAll("-", " "));
}

function sayUse(actions: readonly ActionView[]): string {
  const required = actions.find(({ call: made }) => made?.words === "required")?.call;
  if (required === undefined) return "A note for the history, if you like";
  return required.use === "answer" ? "Your answer" : "What is to be changed";
}

type ActionsProps = {
  readonly of: readonly ActionView[];
  readonly isOff: boolean;
  readonly decide: (made: ActionCall) => void;
};

function Actions({ of, isOff, decide }: ActionsProps): JSX.Element {
  const callable = of.flatMap((action) =>
    action.call === undefined ? [] : [{ ...action, call: action.call }],
  );
  const typed = of.filter((action) => action.call === undefined);
  return (
    <>
      <div class="choices">
        {callable.map(({ command, sentence, verb, call: made }, at) => (
          <ActionButton
            key={command}
            name={verb === undefined ? sayOption(made) : sayVerb(verb)}
            about={sentence}
            tone={verb === "cancel" ? "bad" : at === 0 ? "primary" : ""}
            isOff={isOff}
            isFinal={verb === "cancel"}
            act={() => decide(made)}
          />
        ))}
      </div>
      {typed.length === 0 ? null : (
        <ul class="typed">
          {typed.map(({ command, sentence }) => (
            <li key={command}>
              In the terminal: <code>{command}</code> {sentence}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function sayOption({ use, input }: ActionCall): string {
  return sayVerb(String(input["value"] ?? use));
}

type ActionButtonProps = {
  readonly name: string;
  readonly about: string;
  readonly tone: string;
  readonly isOff: boolean;
  /** It ends the run: one click asks, the second one does it. */
  readonly isFinal: boolean;
  readonly act: () => void;
};

function ActionButton({ name, about, tone, isOff, isFinal, act }: ActionButtonProps): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const press = (): void => {
    if (isFinal && !isAsked) return setAsked(true);
    setAsked(false);
    act();
  };
  return (
    <button type="button" class={tone} disabled={isOff} onClick={press} onBlur={() => setAsked(false)}>
      <span>{isAsked ? `${name}? Press again` : name}</span>
      <small>{isAsked ? "Its branch and its work are kept." : about}</small>
    </button>
  );
}

type PartsProps = { readonly question: QuestionView; readonly run: string; readonly isOff: boolean };

/** A question in parts: each is answered by itself, and the run goes on when all are. */
function Parts({ question, run, isOff }: PartsProps): JSX.Element {
  return (
    <ol class="parts">
      {(question.parts ?? []).map((part) => (
        <li key={part.number} value={part.number}>
          <Part part={part} question={question} run={run} isOff={isOff} />
        </li>
      ))}
    </ol>
  );
}

type PartProps = PartsProps & { readonly part: NonNullable<QuestionView["parts"]>[number] };

function Part({ part: { number, part, answer, text: given }, question, run, isOff }: PartProps): JSX.Element {
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const { id, shown, options } = question;
  const choose = async ({ value, text: words }: QuestionView["options"][number]): Promise<void> => {
    if (words === "required" && text.trim() === "") return setFault("Write your answer first.");
    const said = text.trim() === "" ? "" : `: ${text.trim()}`;
    const reply = await call("answer", {
      decision: `${run}/${id}`,
      parts: [`${number}=${value}${said}`],
      ...(shown === "" ? {} : { shown }),
      key: crypto.randomUUID(),
    });
    setFault(reply.ok ? "" : reply.message);
  };
  return (
    <>
      <div>{part}</div>
      {answer === null ? (
        <div class="part">
          <input
            aria-label={`Your words for part ${number}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {options.map((option) => (
            <button
              key={option.value}
              type="button"
              disabled={isOff}
              title={option.means}
              onClick={() => void choose(option)}
            >
              {option.label === "" ? capitalised(option.value) : option.label}
            </button>
          ))}
        </div>
      ) : (
        <p class="said">
          {answer} {given}
        </p>
      )}
      <p class="refused" role="status">
        {fault}
      </p>
    </>
  );
}
