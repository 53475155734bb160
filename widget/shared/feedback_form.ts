import { makeElement } from "./page.ts";

/** The texts of the form. */
export interface FeedbackTexts {
  question: string;
  comment: string;
  send: string;
  skip: string;
  /** Said after a number, to those who do not see the stars. */
  stars: string;
  failed: string;
}

export interface FeedbackOptions {
  texts: FeedbackTexts;
  /** Rejects when the feedback could not be stored. */
  onSend: (feedback: { rating: number; comment: string }) => Promise<void>;
  /** Called after sending or skipping. */
  onDone: (sent: boolean) => void;
}

const STARS = [1, 2, 3, 4, 5];
/** The API's limit. */
const MAX_COMMENT_LENGTH = 2000;

/** Makes the form for one to five stars and an optional comment. */
export function createFeedbackForm({ texts, onSend, onDone }: FeedbackOptions): HTMLFormElement {
  const comment = makeElement("textarea", { rows: 2, maxlength: MAX_COMMENT_LENGTH, name: "comment" });
  const send = makeElement("button", { type: "submit", class: "primary" }, texts.send);
  const skip = makeElement("button", { type: "button", class: "plain" }, texts.skip);
  const problem = makeElement(
    "p",
    { role: "alert", class: "alert", hidden: true },
    texts.failed,
  );
  const form = makeElement(
    "form",
    { class: "feedback" },
    makeElement("fieldset", {}, makeElement("legend", {}, texts.question), starRow(texts.stars)),
    makeElement("label", {}, makeElement("span", {}, texts.comment), comment),
    problem,
    makeElement("div", { class: "row" }, send, skip),
  );
  skip.addEventListener("click", () => onDone(false));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const rating = Number(new FormData(form).get("rating"));
    send.disabled = true;
    problem.hidden = true;
    try {
      await onSend({ rating, comment: comment.value.trim() });
      onDone(true);
    } catch {
      problem.hidden = false;
    } finally {
      send.disabled = false;
    }
  });
  return form;
}

function starRow(name: string): HTMLElement {
  const stars = STARS.map((value) => {
    const input = makeElement("input", {
      type: "radio",
      name: "rating",
      value,
      required: true,
      "aria-label": `${value} ${name}`,
    });
    return makeElement(
      "label",
      { class: "star" },
      input,
      makeElement("span", { "aria-hidden": "true" }, "★"),
    );
  });
  return makeElement("div", { class: "stars" }, ...stars);
}
