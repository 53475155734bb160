/** The languages of the opt-out words, the most widely used first. */
export const LANGUAGES = ["en", "es", "pt", "fr", "de", "it", "nl", "pl", "tr", "ar", "hi", "id"] as const;

export type Language = typeof LANGUAGES[number];

/** The confirmation of an opt-out. Each names the word by which the person comes back. */
export const CONFIRMATIONS: Record<Language, string> = {
  en: "You will not receive any more promotions from us. Reply START to receive them again.",
  es: "Ya no recibirás promociones nuestras. Responde ALTA para volver a recibirlas.",
  pt: "Você não receberá mais promoções nossas. Responda REATIVAR para recebê-las de novo.",
  fr: "Vous ne recevrez plus nos promotions. Répondez REPRENDRE pour les recevoir à nouveau.",
  de: "Sie erhalten keine Werbung mehr von uns. Antworten Sie START, um sie wieder zu erhalten.",
  it: "Non riceverai più le nostre promozioni. Rispondi RIPRENDI per riceverle di nuovo.",
  nl: "U ontvangt geen aanbiedingen meer van ons. Antwoord START om ze weer te ontvangen.",
  pl: "Nie otrzymasz już od nas promocji. Odpowiedz START, aby znów je otrzymywać.",
  tr: "Artık bizden promosyon mesajı almayacaksınız. Yeniden almak için BAŞLAT yazın.",
  ar: "لن تصلك عروضنا الترويجية بعد الآن. أرسل ابدأ لتلقيها مرة أخرى.",
  hi: "अब आपको हमारे प्रचार संदेश नहीं मिलेंगे। उन्हें फिर से पाने के लिए START लिखें।",
  id: "Anda tidak akan menerima promosi kami lagi. Balas MULAI untuk menerimanya kembali.",
};

// Whole replies, as people type them; they are folded before they are compared (fold_words.ts). A word that often means
// something else on its own ("no", "enough") is in no list.

/** Typed or on a button, these mean that the person wants no more marketing. */
export const OPT_OUT_WORDS: Record<Language, readonly string[]> = {
  en: [
    ...[
      "stop",
      "stop all",
      "stopall",
      "stop it",
      "please stop",
      "stop please",
      "unsubscribe",
      "unsubscribe me",
    ],
    ...["opt out", "opt-out", "optout", "revoke", "remove me", "stop messages", "stop messaging me"],
    ...["no more messages", "do not message me", "don't message me", "take me off the list"],
  ],
  es: [
    ...[
      "baja",
      "dar de baja",
      "darme de baja",
      "darse de baja",
      "dame de baja",
      "deme de baja",
      "solicito la baja",
    ],
    ...["quiero darme de baja", "parar", "para ya", "stop", "desuscribir", "desuscribirme", "desuscribirse"],
    ...[
      "cancelar suscripción",
      "anular suscripción",
      "no más mensajes",
      "no enviar más",
      "no me escriban más",
    ],
    ...["no quiero recibir más mensajes", "no quiero más mensajes", "eliminarme de la lista"],
  ],
  pt: [
    ...["parar", "pare", "stop", "descadastrar", "descadastre-me", "me descadastre", "cancelar inscrição"],
    ...["cancelar assinatura", "me remova", "sair da lista", "não quero receber", "não enviar mais"],
    ...["não quero mais receber", "não quero mais receber mensagens", "chega de mensagens"],
  ],
  fr: [
    ...[
      "stop",
      "arrêt",
      "arrêter",
      "arrêtez",
      "désabonner",
      "me désabonner",
      "désabonnement",
      "se désabonner",
    ],
    ...["désinscrire", "me désinscrire", "désinscription", "plus de messages", "ne plus recevoir"],
    ...["je ne veux plus recevoir de messages", "stop sms"],
  ],
  de: [
    ...[
      "stop",
      "stopp",
      "abmelden",
      "abmeldung",
      "abbestellen",
      "austragen",
      "keine werbung",
      "keine werbung mehr",
    ],
    ...[
      "keine nachrichten mehr",
      "nicht mehr schreiben",
      "bitte abmelden",
      "widerruf",
      "newsletter abbestellen",
    ],
  ],
  it: [
    ...[
      "stop",
      "cancellami",
      "disiscrivimi",
      "disiscriviti",
      "disiscrizione",
      "disiscrivere",
      "annulla iscrizione",
    ],
    ...[
      "annullare iscrizione",
      "rimuovimi",
      "niente più messaggi",
      "non voglio più messaggi",
      "basta messaggi",
    ],
    ...["non scrivetemi più"],
  ],
  nl: [
    ...["stop", "stoppen", "afmelden", "uitschrijven", "meld me af", "schrijf me uit", "geen berichten meer"],
    ...["geen reclame", "geen reclame meer", "afmelding"],
  ],
  pl: [
    ...["stop", "wypisz", "wypisz mnie", "wypisuję się", "rezygnuję", "rezygnacja", "anuluj subskrypcję"],
    ...["nie chcę wiadomości", "nie chcę więcej wiadomości", "koniec wiadomości"],
  ],
  tr: [
    ...["dur", "durdur", "stop", "abonelikten çık", "aboneliği iptal et", "listeden çık"],
    ...["listeden çıkar", "mesaj istemiyorum", "mesaj almak istemiyorum"],
  ],
  ar: [
    ...["توقف", "قف", "أوقف", "إيقاف", "إيقاف الرسائل", "أوقفوا الرسائل", "إلغاء الاشتراك", "الغاء الاشتراك"],
    ...["لا أريد رسائل", "لا ترسل", "لا ترسلوا رسائل"],
  ],
  hi: [
    ...["रोकें", "रोको", "रुको", "बंद करें", "बंद करो", "संदेश बंद करें", "सदस्यता समाप्त करें", "सदस्यता रद्द करें"],
    ...["मैसेज बंद करो", "band karo", "stop karo", "message band karo", "roko"],
  ],
  id: [
    ...["berhenti", "stop", "hentikan", "berhenti berlangganan", "unreg", "jangan kirim lagi", "stop promo"],
    ...["tidak mau menerima pesan", "berhenti kirim pesan"],
  ],
};

/** Only typed: on a button they are about an order, an appointment or a menu. */
export const TYPED_ONLY_WORDS: Partial<Record<Language, readonly string[]>> = {
  en: ["end", "quit", "cancel"],
  pt: ["sair", "remover"],
  tr: ["ret", "iptal"],
  ar: ["إلغاء"],
};

/** Labels of the button that the platform's template editor proposes, and of those in use beside it. */
export const PROMOTION_LABELS: Record<Language, readonly string[]> = {
  en: ["stop promotions", "stop promotion", "stop promos", "stop marketing", "stop updates", "stop offers"],
  es: ["detener promociones", "parar promociones", "no más promociones", "dejar de recibir promociones"],
  pt: ["parar promoções", "interromper promoções", "não quero promoções", "cancelar promoções"],
  fr: ["arrêter les promotions", "stop promotions", "arrêter les promos", "plus de promotions"],
  de: [
    "werbung stoppen",
    "werbeaktionen stoppen",
    "aktionen stoppen",
    "angebote stoppen",
    "werbung abbestellen",
  ],
  it: ["interrompi promozioni", "interrompi le promozioni", "stop promozioni", "basta promozioni"],
  nl: ["stop promoties", "promoties stoppen", "aanbiedingen stoppen", "stop aanbiedingen"],
  pl: ["zatrzymaj promocje", "stop promocjom", "bez promocji", "koniec promocji"],
  tr: ["promosyonları durdur", "kampanyaları durdur", "promosyonları kapat"],
  ar: ["إيقاف العروض الترويجية", "إيقاف العروض", "أوقف العروض"],
  hi: ["प्रचार बंद करें", "प्रमोशन बंद करें", "ऑफ़र बंद करें"],
  id: ["hentikan promosi", "berhenti promosi", "stop promosi"],
};

/** Labels by which a person wants promotions again. */
export const RESUME_LABELS: Record<Language, readonly string[]> = {
  en: ["start promotions", "resume promotions"],
  es: ["reanudar promociones", "recibir promociones"],
  pt: ["retomar promoções", "receber promoções"],
  fr: ["reprendre les promotions", "recevoir les promotions"],
  de: ["werbung erlauben", "angebote wieder erhalten"],
  it: ["riprendi promozioni", "ricevi promozioni"],
  nl: ["aanbiedingen ontvangen", "promoties hervatten"],
  pl: ["wznów promocje"],
  tr: ["promosyonları başlat"],
  ar: ["استئناف العروض"],
  hi: ["प्रचार शुरू करें"],
  id: ["mulai promosi"],
};

/**
 * Only typed: on a button "Start" begins anything. Words that people use for anything ("yes", "ok", "back") are not
 * here, because they would undo an opt-out by mistake.
 */
export const OPT_IN_WORDS: Record<Language, readonly string[]> = {
  en: ["start", "unstop", "subscribe", "resubscribe", "opt in", "opt-in", "optin"],
  es: ["alta", "dar de alta", "darme de alta", "suscribir", "suscribirme", "reanudar"],
  pt: ["reativar", "inscrever", "inscrever-me", "quero receber", "quero promoções"],
  fr: ["reprendre", "m'abonner", "s'abonner", "réabonner", "me réabonner"],
  de: ["start", "starten", "wieder anmelden", "abonnieren"],
  it: ["riprendi", "iscrivimi", "iscriviti"],
  nl: ["start", "starten", "weer aanmelden"],
  pl: ["start", "wznów", "zapisz mnie", "subskrybuj"],
  tr: ["başlat", "abone ol"],
  ar: ["ابدأ", "اشتراك", "اشترك"],
  hi: ["शुरू करें", "शुरू करो", "सदस्यता लें", "start", "shuru karo"],
  id: ["mulai", "berlangganan"],
};
