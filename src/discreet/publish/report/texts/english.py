"""The fixed texts of the report and of README.md in English."""

TEXTS = {
    # numbers
    "one_in": "1 in {number}",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
    "1_million": "1 million",
    "1_billion": "1 billion",
    "1_trillion": "1 trillion",
    "under": "under {number}",
    "over": "over {number}",
    # head and first screen
    "version": "Data version {version}",
    "contents": "Contents",
    "contact": "Contact: {text}",
    "licence": "Licence: {text}",
    "notes": "Notes",
    "lead": "These are tables of counts about people. To protect everyone in them, every count was changed at random"
    " before it was published. So a published count is near the true count, and as a rule not equal to it. Beside each"
    " count stands an interval for the true count.",
    "promise_person": "Whether or not any one person took part, the chance of publishing these tables, or any others,"
    " is the same up to a factor of at most {factor}{extra}.",
    "promise_row": "Whether or not any one row was in the data, the chance of publishing these tables, or any others,"
    " is the same up to a factor of at most {factor}{extra}.",
    "extra": ", plus a chance of at most {chance}",
    "coin_person": "Put differently: someone who thought it a coin toss whether any one person took part can, having"
    " read every number here, be {sure}{aside}.",
    "coin_row": "Put differently: someone who thought it a coin toss whether any one row was in the data can, having"
    " read every number here, be {sure}{aside}.",
    "sure": "at most {percent} sure",
    "weak": "all but sure, because the guarantee is weak",
    "aside": " (leaving that extra chance aside)",
    "no_guarantee": "No guarantee is given.",
    "no_guarantee_from_data": "The categories were taken from the data. A category that is listed, or is missing, may"
    " tell that one person took part, and no noise hides that.",
    "no_guarantee_found": "Some of what was declared ({found}) was found in the data, and nobody has named"
    " another source. It"
    " may tell that one person took part, and no noise hides that.",
    "contributions_of_person": "contributions of a person",
    "no_guarantee_record_keys": "The noise was chosen by record keys that came with the data. Nobody can tell from"
    " this folder how these keys were made. So nothing is promised, for one count or for all of them.",
    "no_guarantee_whole": "No guarantee is given for these tables as a whole.",
    "no_guarantee_contributors": "The same group of people always gets the same noise. So two counts that differ by"
    " one person can be compared, and the guarantees of single counts do not add up to one guarantee for all.",
    "one_count_promise": "For one count, read alone, this is promised: its chance of any value with one person more is"
    " at most {factor} times its chance without{extra}; and the other way round.",
    "fact_tables": "tables",
    "fact_table": "table",
    "fact_counts": "different counts",
    "fact_person": "of these counts can include one and the same person",
    "fact_row": "of these counts can include one and the same row",
    "fact_within": "19 in 20 measurements are at most this far from the true count",
    "touches_person": "One person is in several counts: for example in the count of their district, in the count of"
    " their age group, and in the count of both together. Here one person is in at most {touched} of {counts} counts."
    " The guarantee covers all of them together.",
    "touches_row": "One row of the data is in several counts: for example in the count of its district, in the count"
    " of its age group, and in the count of both together. Here one row is in at most {touched} of {counts} counts."
    " The guarantee covers all of them together.",
    "given_far": "Counts that the publisher gave are far from what was measured.",
    "given_far_more": "Noise does not explain the difference, and the tables follow the counts that were given:",
    "given": "{count} was given for {who}, and {measured} was measured",
    # the tables
    "tables": "The tables",
    "tables_intro": "The large number is the published count. The small numbers below it are its interval: averaged"
    " over counts, at least 95% of such intervals hold the true count.",
    "tables_widened": "An interval comes from all measurements together if the law of their errors is known, and from"
    " the measurement of its own cell otherwise. If the published count lies outside, because tables were made to add"
    " up, the interval was widened to the published count.",
    "tables_fixed": "A count that is public from elsewhere stands without an interval.",
    "tables_no_end": "An interval such as “≥ 5” has no upper end.",
    "tables_dash": "A dash stands where no count was published.",
    "only": "Only {filter}.",
    "show_rows": "Show all {rows} rows",
    "first_rows": "The first {shown} of {rows} rows. The files have all rows.",
    "counts_by": "Counts by {dimensions}",
    "one_count": "One count",
    "files": "Files: {files}",
    "count": "count",
    "total": "Total",
    "other": "Other or not stated",
    # what was published
    "published": "What was published",
    "cap_tables": "Tables",
    "head_table": "table",
    "head_by": "counts by",
    "head_who": "who is in it",
    "head_margins": "totals (margins)",
    "head_counts": "counts",
    "one_count_of_everyone": "one count of everyone",
    "everyone": "everyone",
    "the_total": "the total",
    "none": "none",
    "cap_categories": "Categories",
    "head_dimension": "dimension",
    "head_categories": "categories",
    "head_levels": "coarser levels",
    "note_published": "What was not stated, or is none of these categories, is counted as <code>{other}</code> in the"
    " files. A total over a dimension is called <code>{total}</code> in the files. A count that is in several tables"
    " was measured once.",
    "any_number": "any number",
    "range_under": "under {upper}",
    "range_over": "{lower} and over",
    "range": "{lower} to under {upper}",
    "dates_before": "before {upper}",
    "dates_from": "{lower} and later",
    "dates": "{lower} to before {upper}",
    # how to read a number
    "reading": "How to read a number",
    "within": "19 in 20 measurements of a count of {count} are at most {within} away from the truth.",
    "same_error": "The error of a large count is no larger than the error of a small count, so large counts are"
    " relatively more exact.",
    "different_error": "The size of the error depends on the count, as the table shows.",
    "few": "Read small counts as “few”, and compare large counts.",
    "zero": "A true 0 is measured as 0, or less, with a chance of {chance}. So a 0 need not mean that there is nobody,"
    " and a small number need not mean that there is somebody.",
    "reading_note": "This is about single measurements. In the chance to be right and in the average, measurements"
    " below 0 are read as 0. The standard deviation and the 95% are of measurements as they are.",
    "cap_errors": "Expected error by size of the count",
    "head_true": "true count",
    "head_right": "chance that it is measured right",
    "head_deviation": "standard deviation",
    "head_within": "95% of measurements are within",
    "head_relative": "in percent of the count",
    "head_lean": "measured too high by, on average",
    "clamped": "A true count above {upper} is treated as if it were {upper}.",
    "noise_caption": "The noise of a count of {count}. In the stronger colour: the differences up to {within} either"
    " way, which have a chance of {chance}.",
    "noise_title": "Chance of each difference",
    "noise_across": "measured count minus true count",
    "below_zero": "{below} of the {counts} measurements are below 0. <code>measurements.csv</code> has them as they"
    " were measured.",
    "sums_right": "Sums of measurements are right on average.",
    "sums_off": "Each measurement is off by {least} to {greatest} on average.",
    # adding up
    "adding": "How the tables add up",
    "not_adding": "Why the tables do not add up exactly",
    "additive": "Every count was measured by itself, totals too. So measurements do not add up, and some are below 0."
    " The tables add up: they hold whole numbers, none below 0, every total is the sum of its parts, and they are as"
    " close to the measurements as that allows. This was done with the noisy measurements alone, so it costs no"
    " privacy.",
    "additive_some": "The counts of {measured} were measured, each by itself. The other counts are computed from these"
    " measurements by least squares. The tables add up: they hold whole numbers, none below 0, every total is the sum"
    " of its parts, and they are as close to the measurements as that allows. This was done with the noisy measurements"
    " alone, so it costs no privacy.",
    "fact_measured": "measured counts",
    "tables_unmeasured": "A count that was not measured has an interval from all measurements together.",
    "noise_number": "Noise {number}: {groupings}",
    "additive_note": "In another release the same count may come out differently, because it has to add up with"
    " others. For computations, use the measurements in <code>measurements.csv</code>.",
    "ends": "The noise has an upper end: a larger count is measured as if it were that end. So counts do not add up to"
    " their totals, and were not made to. A measurement below 0 is shown as 0.",
    "not_additive": "Every count was measured by itself, totals too. A measurement below 0 is shown as 0, and nothing"
    " else was done. Counts do not add up exactly to their totals. Use a published total rather than a sum.",
    "method_tree": "as a hierarchy, by least squares",
    "method_cube": "as crossed dimensions, by least squares",
    "method_wang-3": "as the most likely split of the total (Wang 2020, algorithm 3)",
    "method_none": "not at all: every count below 0 is shown as 0",
    "cap_methods": "Tables that were made to add up together",
    "head_tables": "tables",
    "head_how": "how",
    "methods_note": "Tables in different rows were made one after the other. A count that is in both may be two"
    " numbers, both made from one measurement.",
    "fixed": "These counts are not from the data. The publisher wrote them down as known from elsewhere, or as empty"
    " by definition, and the tables meet them. They are outside the guarantee.",
    "cap_fixed": "Counts that were given",
    "head_given_who": "who",
    "head_given": "count",
    "head_measured": "measured",
    "head_explained": "noise explains the difference",
    "yes": "yes",
    "no": "no",
    "and_more": "And {number} more.",
    "how_far": "How far the numbers moved, and how far they are from the truth",
    "cap_moved": "Published counts against measurements",
    "head_moved_most": "moved by, at most",
    "head_moved": "moved by, typically",
    "head_error": "typical error of measurements",
    "head_error_fit": "of least squares",
    "head_error_published": "as published",
    "exact_errors": "The typical error (root mean square) of measurements comes from the integers of the certified"
    " table. The error of least squares, which makes one table of all measurements, follows from it by a formula."
    " Neither is simulated or made from the data. No formula covers tables that follow counts which were given, or"
    " tables that follow a table of more people. A dash stands there.",
    "simulation_failed": "That counts are whole, and not below 0, changes the error once more. This could not be"
    " simulated: for noise that was drawn in a simulation, least squares did not converge. So the errors of published"
    " counts are left out here. The published counts themselves are not concerned.",
    "too_many": "There are too many counts here to simulate how the error changes because counts are whole and not"
    " below 0.",
    "simulated": "That counts are whole, and not below 0, changes the error once more. This was simulated {runs}"
    " times: the published counts were taken for the truth, and noise was drawn for them again. The true counts were"
    " not used. A dash also stands where tables are too large to simulate, or where a number is uncertain by more than"
    " {sure}.",
    "moved_title": "How far the counts moved",
    "moved_across": "published count minus measured count",
    "moved_up": "share of the counts",
    "unchanged": "{unchanged} of {counts} published counts are as they were measured.",
    # the guarantee
    "guarantee": "The guarantee",
    "why_not": "Nothing is promised for the release as a whole, for the reason given at the top of this page.",
    "states_person": "Let A and B be two states of the data, one with and one without any one person, and M the whole"
    " release. For every set S of folders that could be published,",
    "states_row": "Let A and B be two states of the data, one with and one without any one row, and M the whole"
    " release. For every set S of folders that could be published,",
    "symbols": "{formula}, with ε = {epsilon} and δ = {delta}.",
    "whatever": "This holds whatever else anyone knows and whatever they compute from the tables. The numbers are"
    " computed from the integers that the noise is drawn from, over all counts that include one person, and they are"
    " upper bounds.",
    "earlier": "An earlier release under the version label {label} measured {before} of the {measured} measured tables"
    " and margins. They have the same noise and the same numbers here, and the guarantee covers both releases"
    " together.",
    "cap_guarantee": "The guarantee in numbers",
    "head_what": "what",
    "head_value": "value",
    "head_meaning": "meaning",
    "epsilon_meaning": "for the whole release",
    "delta_meaning": "for the whole release, an upper bound, rounded up",
    "floor": "floor of delta",
    "floor_meaning": "delta never falls below this, however large epsilon is",
    "touches": "touches",
    "touches_meaning_person": "of the {counts} counts can include one person, at most",
    "touches_meaning_row": "of the {counts} counts can include one row, at most",
    "unit": "unit",
    "unit_row": "one row",
    "unit_row_meaning": "whose privacy is kept; a person with several rows is protected for each row alone",
    "unit_person": "one person",
    "unit_person_meaning": "whose privacy is kept",
    "contributions": "contributions",
    "contributions_meaning": "rows of one person that count, at most; others were left out",
    "one_count_alone": "one count alone",
    "one_row_more": "one row more or less",
    "one_person_more": "one person more or less",
    "up_to_rows": ", with up to {rows} rows in it",
    "computed_exactly": ", computed exactly",
    "upper_bound": ", an upper bound",
    "noise": "noise",
    "noise_meaning": "as its publisher describes it; the guarantee is computed from its integers alone",
    "key": "key",
    "key_query": "chosen by a secret and the definition of the count; the same whenever it is asked",
    "key_fresh": "drawn anew from the operating system; another release of these data would cost as much again",
    "key_contributors": "chosen by the people who are counted; the same people get the same noise",
    "other_epsilons": "At other values of epsilon",
    "other_epsilons_text": "The same noise keeps a whole curve of promises: a smaller ε with a larger δ, and the"
    " reverse.",
    "curve_release": "Upper bounds of δ for the whole release: from {highest} at ε = {start} to {lowest} at ε = {end}.",
    "curve_count": "Upper bounds of δ for one count read alone: from {highest} at ε = {start} to {lowest} at ε ="
    " {end}.",
    "curve_title": "Privacy curve",
    "curve_promised": "what is promised",
    "at_most": "δ, at most",
    "cap_curve": "The same in numbers",
    "not_covered": "What it does not cover",
    "outside_names": "The names of tables and dimensions, the categories that were declared, the filters, the"
    " metadata, and any zero or total that is fixed in the specification. The publisher wrote them down. They are not"
    " computed from the data.",
    "outside_general": "What is true of people in general. If tables show that a disease is common in a district, that"
    " is learnt about everyone there, whether they took part or not.",
    "outside_query": "Other publications about the same people. Each has its own cost, and costs add up, as long as"
    " data that changed have a new version label. Under an old label they would have the same noise, and show their"
    " exact differences. The publisher's software refuses that; from the folders nobody can tell.",
    "outside_fresh": "Other publications about the same people. Each has its own cost, and costs add up.",
    "outside_contributors": "Other publications about the same people. Their guarantees do not add up with this one.",
    "outside_from_data": "Which categories there are. They were taken from the data as they are.",
    "outside_found": "What was declared from the data: {found}.",
    "outside_sources": "Where categories, ranges and contributions come from, as the publisher says: {sources}.",
    "outside_secret": "A secret that leaks. The noise was chosen with a secret key; whoever has it can remove the"
    " noise.",
    # checking
    "checking": "How to check it",
    "checking_text": "Anyone can check this folder, with nothing but the folder: <code>discreet verify DIR</code>"
    " recomputes the guarantee from the integers in {certificate}, and makes the tables and this page again from"
    " {measurements}, byte for byte. It cannot tell whether the publisher drew the noise as the certificate says, or"
    " keeps a secret well. <code>discreet verify --page FILE</code> writes a page that checks folders in a browser,"
    " by a program of its own.",
    # README.md
    "readme_tables": "Tables",
    "readme_columns": "`count` is the published count, `low` and `high` are the ends of its interval. Averaged over"
    " counts, at least 95% of such intervals hold the true count. An empty `high` means that the interval has no upper"
    " end.",
    "readme_marks": "`_total` is a total over a dimension, `_other` is everything that is not declared or not stated.",
    "leaves_in_other": "In {dimension}, `_other` also has {leaves}.",
    "readme_files": "Files",
    "readme_report": "the report: tables, guarantee, errors",
    "readme_manifest": "the specification, the guarantee, the digests of all files",
    "readme_certificate": "the integers that the noise was drawn from",
    "readme_measurements": "the noisy counts as they were measured",
    "readme_metadata": "description of the columns (CSV on the Web)",
    "readme_table": "a table",
    "readme_check": "To check this folder, run `discreet verify DIR`.",
}
