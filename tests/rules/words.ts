/** A word that this project does not use, and what it says instead. */
export interface WordRule {
  pattern: RegExp;
  instead: string;
  /** Paths in which the word has its ordinary meaning. */
  except?: RegExp;
}

/** Texts that visitors and members read, and the platforms' own words, which the sandbox repeats. */
const READ_BY_VISITORS = /^widget\/|^console\/i18n\/|_shared\/widgets\/texts\/|^tests\/(browser|widget)\//;

/** Where a person picks up a phone: calls are answered there. */
const ABOUT_CALLS =
  /voice|call|states\.md|sandbox|webhooks\.md|interface|architecture\.md|api\.md|performance|settings/i;

/** One meaning per word, and the words that engineers in this field use; CONTRIBUTING.md says why. */
export const WORD_RULES: WordRule[] = [
  { pattern: /\b(MOST|LONGEST)_[A-Z]/, instead: "MAX_…" },
  { pattern: /\b(FEWEST|SHORTEST|LEAST)_[A-Z]/, instead: "MIN_…" },
  { pattern: /\b[A-Z]+S_AN?_[A-Z]+/, instead: "…_PER_…" },
  {
    pattern:
      /\b(times|messages|requests|calls|events|contacts|notifications|rows|writes|\d+ (µs|ms|kB|MB|bytes)|once|twice|one|two|three|four|five|ten) an? (second|minute|hour|day|month|batch|request|process|company|message|notification|key|sender|call)\b/i,
    instead: "per …",
    except: READ_BY_VISITORS,
  },
  {
    pattern: /\btold\b|\btells?\b|\btelling\b/i,
    instead: "report, notify, log, show",
    except: READ_BY_VISITORS,
  },
  { pattern: /\bheard\b|\bhears?\b|\bunheard\b/i, instead: "receive", except: READ_BY_VISITORS },
  { pattern: /\bwhoever\b/i, instead: "name the actor" },
  { pattern: /\bstrays?\b/i, instead: "late, orphaned" },
  { pattern: /\bcrowds?\b/i, instead: "busy companies" },
  {
    pattern: /\bflight_?control\b|\btookOff\b|\b(all)?Landed\b/i,
    instead: "concurrency limit, started, finished",
  },
  { pattern: /\bcrew\b/i, instead: "dispatcher pool" },
  { pattern: /\bwitness(es)?\b/i, instead: "monitor" },
  { pattern: /\bpatiently\b/i, instead: "retryWhile…" },
  { pattern: /\b(gives?|gave|given|giving)[ _]?up\b|\bgiveUp\b/i, instead: "fail, stop, end" },
  { pattern: /\b(lets?|letting) go\b|\bletGo\b|\blet_go\b/i, instead: "release" },
  { pattern: /\btr(y|ies|ied) again\b/i, instead: "retry", except: READ_BY_VISITORS },
  { pattern: /\b(look|looks|looked) into\b|\blookInto\b/i, instead: "read, check" },
  { pattern: /\b(ask|asks|asked) after\b/i, instead: "poll" },
  { pattern: /\bfor ever\b/i, instead: "forever, without end" },
  { pattern: /\ball else\b/i, instead: "everything else" },
  { pattern: /\bwrite_?down\b|\bwritten down\b|\bwrites down\b/i, instead: "record" },
  {
    pattern: /\banswers\b|\banswering\b/i,
    instead: "returns (functions), responds, responses (HTTP)",
    except: ABOUT_CALLS,
  },
  {
    pattern: /\bis answered\b|\bare answered\b|\bwas answered\b|^\W*Answered\b/,
    instead: "responds, is returned",
    except: ABOUT_CALLS,
  },
  { pattern: /\bcreateDecide\b|\bdecide\(/, instead: "deliver" },
  {
    pattern:
      /(?<=[.$[{]|\bas |\b(const|let) )places?\b|\bplaces?(?=\??: [\w{[]|[.[!]\w|\[| =[ >]|\) =>|\}`)|(?<!I)[a-z]Places?\b|\bplace(?!Call)[A-Z]/,
    instead: "index, position, cursor, offset, path, placeholder",
    except: new RegExp(
      `^console/i18n/|value_names|import_rules|expressions_test|notify_voice_test|^tests/_shared/events_out/`,
    ),
  },
  { pattern: /\) as said\b/, instead: "rule, suppression" },
  {
    pattern: /\bcreateOffers?\b|\binterface Offers?\b|\boffered (again|in vain|twice)\b/,
    instead: "attempts, store",
  },
  {
    pattern: /\btry(Campaign|Upload|Plan|Batch|Contacts|File)\b|\bTry(Result|Row)\b|[a-z]Tries\b|_TRIES\b/,
    instead: "dryRun…, attempt",
    except: READ_BY_VISITORS,
  },
  { pattern: /\bmarketing_rests?\b|\brests_until\b/, instead: "marketing_cooldowns, cooldown_until" },
  { pattern: /\bnumber_spellings\b|\blearn_spellings\b/, instead: "number_aliases, record_number_aliases" },
  {
    pattern: /\bsender_turns\b|\bwake_senders\b|\bplan_sender_turns\b/,
    instead: "sender_schedule, schedule_senders",
  },
  { pattern: /\bunsure_since\b|\bisSure\b/, instead: "in_doubt_since, isInDoubt, isConfirmed" },
  { pattern: /\bfirst_answer\b|\bremember_answer\b/, instead: "…_idempotent_response" },
  {
    pattern: /\b(foresee|forgive)(_|[A-Z])|\bgive_?back_?\b/i,
    instead: "preview…, refund…",
  },
  { pattern: /\bnote[A-Z][a-z]\w+\(|\bnote_(?!id\b)\w+/, instead: "record…, touch…" },
  {
    pattern: /\bFORGOTTEN|\bisForgotten\b|\bkeepsStatements\b/,
    instead: "PREPARED_STATEMENTS_LOST, supports…",
  },
  { pattern: /\bprovider_\w+/, instead: "platform_…", except: /^local\/auth\// },
  { pattern: /\bstopped_for_good\b/, instead: "locked" },
  {
    pattern: /\b([Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body\b(?![@"'])|\b([Ss]ome|[Aa]ny)one\b(?![@"'])/,
    instead: "caller, member, visitor, operator, dispatcher",
    except: new RegExp(
      `${READ_BY_VISITORS.source}|database/postgres_cluster`,
    ),
  },
  {
    pattern: /^\s*(\/\*\*|\*|\/\/|--|#) (What|Whoever|Who|That which) /,
    instead: "a sentence that names its subject",
  },
];
