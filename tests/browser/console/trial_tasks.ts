/**
 * The 47 tasks of a trial of the whole service by hand, with the presses that each takes in the console. A press is one of
 * the mouse, an entry chosen from a list, or a chosen file; what is typed is none.
 *
 * @module
 */

/** A step of a task, which a test counts by `countPresses`. */
export interface Step {
  task: number;
  pressed: string;
  presses: number;
  /** The trial's count; absent where it could not do the task, or did not count. */
  trial?: number;
}

/** The steps that are counted, in the order of the trial. */
export const STEPS = {
  "log in": { task: 4, pressed: "Log in", presses: 1, trial: 1 },
  "see how the company does": { task: 5, pressed: "none: the log-in leads there", presses: 0, trial: 0 },
  "write a template with a variable and two buttons": {
    ...{ task: 6, presses: 5, trial: 9 },
    pressed: "New template, Add a button twice, its kind, Submit",
  },
  "give a template a picture": { task: 7, pressed: "the kind of header, Upload, the file", presses: 3 },
  "correct a rejected template": { task: 8, pressed: "Correct, Submit", presses: 2, trial: 2 },
  "map a file": { task: 9, pressed: "the template, the file", presses: 2, trial: 2 },
  "check all rows": { task: 10, pressed: "Check all rows", presses: 1, trial: 1 },
  "save the refused rows": { task: 11, pressed: "Download the refused rows", presses: 1 },
  "choose each person's own hour": { task: 12, pressed: "At each person's own hour", presses: 1 },
  "schedule it": { task: 12, pressed: "Check, Schedule, Schedule", presses: 3 },
  "see when a campaign leaves": { task: 13, pressed: "none: its page and the list say it", presses: 0 },
  "pause a campaign": { task: 14, pressed: "Pause", presses: 1, trial: 1 },
  "resume a campaign": { task: 14, pressed: "Undo, or Resume", presses: 1, trial: 1 },
  "cancel a campaign": { task: 14, pressed: "Cancel, Cancel", presses: 2, trial: 2 },
  "edit a scheduled campaign": { task: 15, pressed: "Edit, Edit", presses: 2 },
  "move a scheduled campaign": { task: 15, pressed: "Change the time, Change the time", presses: 2 },
  "copy a campaign": { task: 15, pressed: "Copy", presses: 1 },
  "send a test to oneself": { task: 16, pressed: "Send a test", presses: 1, trial: 1 },
  "send a checked file": { task: 17, pressed: "Send, Send", presses: 2, trial: 3 },
  "see whom a failure reached": { task: 18, pressed: "the number beside the reason", presses: 1, trial: 1 },
  "resend to those who failed": { task: 19, pressed: "Resend, Resend", presses: 2, trial: 2 },
  "find a person by number": { task: 20, pressed: "What is known of it", presses: 1, trial: 2 },
  "see what a person was sent": { task: 21, pressed: "none: it is on the timeline", presses: 0 },
  "see a person's website chats": { task: 22, pressed: "the chat on the timeline", presses: 1 },
  "export a person's data": { task: 23, pressed: "Export", presses: 1, trial: 1 },
  "erase a person": { task: 23, pressed: "Erase, Erase", presses: 2, trial: 2 },
  "reply on WhatsApp": { task: 24, pressed: "the conversation, Send", presses: 2, trial: 2 },
  "open a picture that a person sent": { task: 25, pressed: "the picture", presses: 1 },
  "take and reply to a website chat": { task: 26, pressed: "the chat, Me", presses: 2, trial: 2 },
  "hand a conversation over": { task: 27, pressed: "the colleague", presses: 1, trial: 1 },
  "limit the access key": { task: 28, pressed: "Change, Save", presses: 2 },
  "copy the access key": { task: 29, pressed: "Copy the key", presses: 1, trial: 1 },
  "rotate the access key": { task: 30, pressed: "Rotate, Rotate", presses: 2, trial: 2 },
  "revoke the access key": { task: 30, pressed: "Revoke, Revoke", presses: 2, trial: 2 },
  "set the webhook": { task: 31, pressed: "Set the webhook, Save, I have kept it", presses: 3, trial: 3 },
  "see why a delivery failed": { task: 31, pressed: "the delivery", presses: 1, trial: 2 },
  "deliver an event again": { task: 31, pressed: "Deliver again", presses: 1, trial: 2 },
  "invite a viewer": { task: 32, pressed: "Invite, the role, Invite", presses: 3, trial: 3 },
  "see what was changed": { task: 34, pressed: "the entry", presses: 1, trial: 1 },
  "add sending hours": { task: 35, pressed: "Add hours, own hours, Save", presses: 3, trial: 3 },
  "add a cap": { task: 35, pressed: "Add a cap, Save", presses: 2, trial: 3 },
  "call the people of a file": {
    ...{ task: 36, presses: 5, trial: 5 },
    pressed: "the agent, the file, Check, Call, Call",
  },
  "read what was said in a call": { task: 36, pressed: "See its calls, the call", presses: 2 },
  "change a widget's look": { task: 37, pressed: "Save", presses: 1 },
  "see the usage": { task: 39, pressed: "Keys and usage", presses: 1, trial: 1 },
  "see the costs": { task: 40, pressed: "none: the overview has them", presses: 0 },
  "see why a sender is stopped": { task: 41, pressed: "the sender", presses: 1 },
  "follow a link through the log-in": { task: 42, pressed: "Log in", presses: 1 },
} satisfies Record<string, Step>;

/** A step that a test counts. */
export type StepName = keyof typeof STEPS;

/** A task that has nothing to count, and the test that does it: the beginning of its name. */
export interface UncountedTask {
  task: number;
  file: string;
  test: string;
  why: string;
}

/** The tasks that are not counted. */
export const UNCOUNTED: UncountedTask[] = [
  {
    ...{ task: 1, file: "tests/start/start_test.ts", test: "start prints curl lines that work" },
    why: "It is a command.",
  },
  {
    ...{ task: 2, file: "tests/start/start_test.ts", test: "start prints curl lines that work" },
    why: "It is a line to paste into a terminal.",
  },
  {
    ...{ task: 3, file: "tests/browser/console/templates_test.ts", test: "console: creates a template" },
    why: "It is tasks 6 and 17 in a row, with the link from the approved template to a new campaign.",
  },
  {
    ...{ task: 33, file: "tests/browser/console/company_test.ts", test: "console: invites a viewer" },
    why: "There is nothing to press.",
  },
  {
    ...{ task: 38, file: "tests/browser/chat_widget_test.ts", test: "chat widget: a strict third-party" },
    why: "It happens on another website: one line to paste.",
  },
  {
    ...{ task: 43, file: "tests/browser/console/frame_test.ts", test: "console: says what a link that" },
    why: "The button to go back is the browser's.",
  },
  {
    ...{ task: 44, file: "tests/browser/console/frame_test.ts", test: "console: says that it reconnects" },
    why: "The page does it by itself.",
  },
  {
    ...{ task: 45, file: "tests/browser/console/frame_test.ts", test: "console: goes on after a log-in" },
    why: "The page does it by itself; the log-in is task 4.",
  },
  {
    ...{ task: 46, file: "tests/browser/console/session_test.ts", test: "console: a new tab has" },
    why: "The button for a new tab is the browser's.",
  },
  {
    ...{ task: 47, file: "tests/browser/console/company_test.ts", test: "console: of two tabs" },
    why: "It is task 35, done twice at once.",
  },
];
