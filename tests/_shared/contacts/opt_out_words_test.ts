import assert from "node:assert/strict";
import fc from "fast-check";
import { foldWords } from "../../../supabase/functions/_shared/contacts/fold_words.ts";
import {
  CONFIRMATIONS,
  LANGUAGES,
  OPT_IN_WORDS,
  OPT_OUT_WORDS,
  PROMOTION_LABELS,
  RESUME_LABELS,
  TYPED_ONLY_WORDS,
} from "../../../supabase/functions/_shared/contacts/opt_out_lists.ts";
import {
  foldForWords,
  verdictOfButton,
  verdictOfText,
} from "../../../supabase/functions/_shared/contacts/opt_out_words.ts";

const typed = (text: string) => verdictOfText(foldForWords(text))?.says ?? null;

const TYPED: [text: string, says: "opt_out" | "opt_in" | null][] = [
  ...[
    "STOP",
    "stop",
    " Stop. ",
    "¡STOP!",
    "𝗦𝗧𝗢𝗣",
    "ＳＴＯＰ",
    "Ⓢⓣⓞⓟ",
    "STOP 🛑",
    "👋🏽 stop 👋🏽",
    "*stop*",
    '"stop"',
  ]
    .map((text) => [text, "opt_out"] as [string, "opt_out"]),
  ...[
    "stop stop",
    "STOP, STOP!",
    "s\u200btop",
    "opt out",
    "Opt-Out",
    "opt\u2011out",
    "unsubscribe",
    "Cancel",
    "END",
  ]
    .map((text) => [text, "opt_out"] as [string, "opt_out"]),
  ...[
    "BAJA",
    "baja.",
    "Dar  de   baja",
    "désabonner",
    "DESABONNER",
    "arrêt",
    "ARRET",
    "Stopp",
    "STOPP!!",
    "sair",
    "PARAR",
  ]
    .map((text) => [text, "opt_out"] as [string, "opt_out"]),
  ...[
    "İPTAL",
    "iptal",
    "IPTAL",
    "ıptal",
    "توقف",
    "تــوقــف",
    "إلغاء الاشتراك",
    "أوقف",
    "रोकें",
    "बंद करें",
  ]
    .map((text) => [text, "opt_out"] as [string, "opt_out"]),
  ...["wypisuję się", "WYPISUJE SIE", "Non scrivetemi più", "nao quero receber", "meld me af", "BERHENTI"]
    .map((text) => [text, "opt_out"] as [string, "opt_out"]),
  ...["START", "Start!", "unstop", "ALTA", "alta 😊", "wznów", "başlat", "ابدأ", "शुरू करें", "mulai"]
    .map((text) => [text, "opt_in"] as [string, "opt_in"]),
  ...[
    "never stop sending",
    "stop it at 5",
    "don't stop",
    "stop?no",
    "bus stop",
    "stopped",
    "nonstop",
    "st op",
    "s t o p",
  ]
    .map((text) => [text, null] as [string, null]),
  ...[
    "",
    " ",
    "🛑",
    "!!!",
    "yes",
    "sí",
    "ok",
    "no",
    "basta",
    "back",
    "la baja tensión",
    "trabaja",
    "restart",
    "start now",
  ]
    .map((text) => [text, null] as [string, null]),
  ["stop ".repeat(100), null],
];

for (const [text, says] of TYPED) {
  Deno.test(`verdictOfText() takes ${JSON.stringify(text.slice(0, 40))} for ${says}`, () => {
    assert.equal(typed(text), says);
  });
}

const BUTTONS: [payload: string | null, label: string, says: "opt_out" | "opt_in" | null][] = [
  ["STOP_PROMOTIONS", "Não, obrigado", "opt_out"],
  ["OPT_OUT", "Bye", "opt_out"],
  ["START_PROMOTIONS", "Yes, please", "opt_in"],
  ["OPT_IN", "Stop promotions", "opt_in"],
  ["Stop promotions", "Stop promotions", "opt_out"],
  [null, "Detener promociones", "opt_out"],
  [null, "STOP", "opt_out"],
  [null, "Werbung stoppen", "opt_out"],
  [null, "Reanudar promociones", "opt_in"],
  [null, "Cancel", null],
  [null, "Start", null],
  ["constructor", "Yes", null],
  ["STOP:run_42", "See more", null],
  ["stop_promotions", "See more", null],
];

for (const [payload, label, says] of BUTTONS) {
  Deno.test(`verdictOfButton() takes ${payload} labelled ${label} for ${says}`, () => {
    assert.equal(verdictOfButton(payload, foldForWords(label))?.says ?? null, says);
  });
}

Deno.test("verdictOfText() lists the languages of a word, and English first for one of many", () => {
  const languages = (text: string) =>
    verdictOfText(foldForWords(text))!.confirmations.map(({ language }) => language);

  assert.deepEqual(languages("baja"), ["es"]);
  assert.deepEqual(languages("stop").slice(0, 3), ["en", "es", "pt"]);
  assert.deepEqual(verdictOfButton("OPT_OUT", "bye")!.confirmations.length, LANGUAGES.length);
});

Deno.test("each confirmation names a word by which its person comes back, and is no longer than a message", () => {
  for (const language of LANGUAGES) {
    const words = CONFIRMATIONS[language].split(/[\s.,!।]+/);
    assert.ok(words.some((word) => typed(word) === "opt_in"), language);
    assert.ok(CONFIRMATIONS[language].length < 200);
  }
});

Deno.test("no word means both", () => {
  const fold = (lists: object) =>
    new Set(Object.values(lists).flat().map((word) => foldWords(word as string)));
  const out = fold({
    ...OPT_OUT_WORDS,
    labels: Object.values(PROMOTION_LABELS).flat(),
    typed: Object.values(TYPED_ONLY_WORDS).flat(),
  });
  const back = fold({ ...OPT_IN_WORDS, labels: Object.values(RESUME_LABELS).flat() });

  assert.deepEqual([...out].filter((word) => back.has(word)), []);
});

Deno.test("foldWords() changes nothing the second time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (text, odd) => {
      for (const each of [text, odd]) assert.equal(foldWords(foldWords(each)), foldWords(each));
    }),
    { numRuns: 200 },
  );
});

Deno.test("a word within a longer text is no opt-out", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.constantFrom(...OPT_OUT_WORDS.en, ...OPT_OUT_WORDS.es), (other, word) => {
      assert.equal(typed(`${other} ${word} ${other}`), null);
      assert.equal(typed(`${other}${word}`), null);
    }),
    { numRuns: 200 },
  );
});

Deno.test("punctuation, emoji and spaces around a word change nothing", () => {
  const around = fc.string({
    unit: fc.constantFrom(" ", "!", ".", "¡", "*", "🛑", "👍🏽", "\n", "\u200d", "…"),
  });
  fc.assert(
    fc.property(around, around, fc.constantFrom("stop", "BAJA", "توقف", "रोकें"), (before, after, word) => {
      assert.equal(typed(`${before}${word}${after}`), "opt_out");
    }),
    { numRuns: 200 },
  );
});
