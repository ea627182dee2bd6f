"""The fixed texts of the report and of README.md in Spanish."""

TEXTS = {
    "one_in": "1 entre {number}",
    "million": "millones",
    "billion": "mil millones",
    "trillion": "billones",
    "1_million": "1 millón",
    "1_billion": "mil millones",
    "1_trillion": "1 billón",
    "under": "menos del {number}",
    "over": "más del {number}",
    "version": "Versión de los datos: {version}",
    "contents": "Contenido",
    "contact": "Contacto: {text}",
    "licence": "Licencia: {text}",
    "notes": "Notas",
    "lead": "Estas son tablas de recuentos de personas. Para proteger a todas ellas, cada recuento se modificó al azar"
    " antes de publicarlo. Por eso un recuento publicado está cerca del verdadero y, por lo general, no es igual a él."
    " Junto a cada recuento hay un intervalo para el recuento verdadero.",
    "promise_person": "Haya participado o no una persona cualquiera, la probabilidad de publicar estas tablas, u otras"
    " cualesquiera, es la misma salvo un factor de {factor} como máximo{extra}.",
    "promise_row": "Estuviera o no una fila cualquiera en los datos, la probabilidad de publicar estas tablas, u otras"
    " cualesquiera, es la misma salvo un factor de {factor} como máximo{extra}.",
    "extra": ", más una probabilidad de {chance} como máximo",
    "coin_person": "Dicho de otro modo: quien consideraba la participación de una persona tan incierta como lanzar una"
    " moneda puede, tras leer todos los números publicados aquí, estar {sure}{aside}.",
    "coin_row": "Dicho de otro modo: quien consideraba la presencia de una fila en los datos tan incierta como lanzar"
    " una moneda puede, tras leer todos los números publicados aquí, estar {sure}{aside}.",
    "sure": "seguro al {percent} como máximo",
    "weak": "casi seguro, porque la garantía es débil",
    "aside": " (dejando aparte esa probabilidad adicional)",
    "no_guarantee": "No se da ninguna garantía.",
    "no_guarantee_from_data": "Las categorías se tomaron de los datos. Una categoría que aparece, o que falta, puede"
    " revelar que una persona participó, y ningún ruido oculta eso.",
    "no_guarantee_found": "Parte de lo declarado ({found}) se encontró en los datos, y nadie ha indicado otra"
    " fuente. Puede"
    " revelar que una persona participó, y ningún ruido lo oculta.",
    "contributions_of_person": "contribuciones de una persona",
    "no_guarantee_record_keys": "El ruido se eligió con claves de registro que venían con los datos. Nadie puede saber"
    " por esta carpeta cómo se hicieron esas claves. Por eso no se promete nada, ni para un recuento ni para todos.",
    "no_guarantee_whole": "No se da ninguna garantía para el conjunto de estas tablas.",
    "no_guarantee_contributors": "El mismo grupo de personas recibe siempre el mismo ruido. Por eso se pueden comparar"
    " dos recuentos que difieren en una persona, y las garantías de los recuentos por separado no forman una garantía"
    " para todos.",
    "one_count_promise": "Para un recuento leído por sí solo se promete esto: la probabilidad de cada valor con una"
    " persona más es como máximo {factor} veces la probabilidad sin ella{extra}; y a la inversa.",
    "fact_tables": "tablas",
    "fact_table": "tabla",
    "fact_counts": "recuentos distintos",
    "fact_person": "de estos recuentos pueden incluir a una misma persona",
    "fact_row": "de estos recuentos pueden incluir una misma fila",
    "fact_within": "19 de cada 20 mediciones están como máximo a esta distancia del recuento verdadero",
    "touches_person": "Una persona está en varios recuentos: por ejemplo, en el de su distrito, en el de su grupo de"
    " edad y en el de ambos a la vez. Aquí una persona está como máximo en {touched} de {counts} recuentos. La"
    " garantía los cubre todos juntos.",
    "touches_row": "Una fila de los datos está en varios recuentos: por ejemplo, en el de su distrito, en el de su"
    " grupo de edad y en el de ambos a la vez. Aquí una fila está como máximo en {touched} de {counts} recuentos. La"
    " garantía los cubre todos juntos.",
    "given_far": "Algunos recuentos que dio el editor están lejos de lo que se midió.",
    "given_far_more": "El ruido no explica la diferencia, y las tablas siguen los recuentos dados:",
    "given": "se dio {count} para {who}, y se midió {measured}",
    "tables": "Las tablas",
    "tables_intro": "El número grande es el recuento publicado. Los números pequeños debajo son su intervalo: en"
    " promedio sobre los recuentos, al menos el 95\u202f% de estos intervalos contienen el recuento verdadero.",
    "tables_widened": "Un intervalo procede de todas las mediciones juntas si se conoce la ley de sus errores, y si no,"
    " de la medición de su propia celda. Si el recuento publicado queda fuera, porque las tablas se ajustaron para que"
    " fueran aditivas, el intervalo se amplió hasta el recuento publicado.",
    "tables_fixed": "Un recuento que ya es público por otra fuente aparece sin intervalo.",
    "tables_no_end": "Un intervalo como «≥ 5» no tiene límite superior.",
    "tables_dash": "Un guion indica que no se publicó ningún recuento.",
    "only": "Solo {filter}.",
    "show_rows": "Mostrar las {rows} filas",
    "first_rows": "Las primeras {shown} de {rows} filas. Los archivos contienen todas las filas.",
    "counts_by": "Recuentos por {dimensions}",
    "one_count": "Un recuento",
    "files": "Archivos: {files}",
    "count": "recuento",
    "total": "Total",
    "other": "Otro o no consta",
    "published": "Qué se publicó",
    "cap_tables": "Tablas",
    "head_table": "tabla",
    "head_by": "recuentos por",
    "head_who": "quién se cuenta",
    "head_margins": "totales (márgenes)",
    "head_counts": "recuentos",
    "one_count_of_everyone": "un recuento de todas las personas",
    "everyone": "todas las personas",
    "the_total": "el total",
    "none": "ninguno",
    "cap_categories": "Categorías",
    "head_dimension": "dimensión",
    "head_categories": "categorías",
    "head_levels": "niveles más amplios",
    "note_published": "Lo que no consta, o no es ninguna de estas categorías, se cuenta como <code>{other}</code> en"
    " los archivos. Un total sobre una dimensión se llama <code>{total}</code> en los archivos. Un recuento que está"
    " en varias tablas se midió una sola vez.",
    "any_number": "cualquier número",
    "range_under": "menos de {upper}",
    "range_over": "{lower} o más",
    "range": "de {lower} a menos de {upper}",
    "dates_before": "antes del {upper}",
    "dates_from": "desde el {lower}",
    "dates": "desde el {lower} hasta antes del {upper}",
    "reading": "Cómo leer un número",
    "within": "19 de cada 20 mediciones de un recuento de {count} se apartan {within} como máximo de la verdad.",
    "same_error": "El error de un recuento grande no es mayor que el de uno pequeño, así que los recuentos grandes son"
    " relativamente más exactos.",
    "different_error": "El tamaño del error depende del recuento, como muestra la tabla.",
    "few": "Lea los recuentos pequeños como «pocos» y compare los grandes.",
    "zero": "Un 0 verdadero se mide como 0, o menos, con una probabilidad del {chance}. Por eso un 0 no significa"
    " necesariamente que no haya nadie, ni un número pequeño que haya alguien.",
    "reading_note": "Esto se refiere a mediciones por separado. En la probabilidad de acertar y en el promedio, las"
    " mediciones por debajo de 0 se leen como 0. La desviación típica y el 95\u202f% son de las mediciones tal como"
    " están.",
    "cap_errors": "Error esperado según el tamaño del recuento",
    "head_true": "recuento verdadero",
    "head_right": "probabilidad de que se mida bien",
    "head_deviation": "desviación típica",
    "head_within": "el 95\u202f% de las mediciones está dentro de",
    "head_relative": "en porcentaje del recuento",
    "head_lean": "medido de más, en promedio",
    "clamped": "Un recuento verdadero mayor que {upper} se trata como si fuera {upper}.",
    "noise_caption": "El ruido de un recuento de {count}. En el color más intenso: las diferencias de hasta {within}"
    " en ambos sentidos, que tienen una probabilidad del {chance}.",
    "noise_title": "Probabilidad de cada diferencia",
    "noise_across": "recuento medido menos recuento verdadero",
    "below_zero": "{below} de las {counts} mediciones están por debajo de 0. <code>measurements.csv</code> las"
    " contiene tal como se midieron.",
    "sums_right": "Las sumas de mediciones son correctas en promedio.",
    "sums_off": "Cada medición se desvía en promedio de {least} a {greatest}.",
    "adding": "La aditividad de las tablas",
    "not_adding": "Por qué las tablas no son exactamente aditivas",
    "additive": "Cada recuento se midió por separado, también los totales. Por eso las mediciones no son aditivas, y"
    " algunas están por debajo de 0. Las tablas sí son aditivas: contienen números enteros, ninguno por debajo de 0,"
    " cada total es la suma de sus partes, y están tan cerca de las mediciones como eso permite. Se hizo solo con las"
    " mediciones con ruido, así que no cuesta privacidad.",
    "additive_some": "Los recuentos de {measured} se midieron, cada uno por separado. Los demás se calculan a partir"
    " de estas mediciones por mínimos cuadrados. Las tablas son aditivas: contienen números enteros, ninguno por"
    " debajo de 0, cada total es la suma de sus partes, y están tan cerca de las mediciones como eso permite. Se hizo"
    " solo con las mediciones con ruido, así que no cuesta privacidad.",
    "fact_measured": "recuentos medidos",
    "tables_unmeasured": "Un recuento que no se midió tiene un intervalo a partir de todas las mediciones juntas.",
    "noise_number": "Ruido {number}: {groupings}",
    "additive_note": "En otra publicación el mismo recuento puede resultar distinto, porque tiene que cuadrar con"
    " otros. Para hacer cálculos, use las mediciones de <code>measurements.csv</code>.",
    "ends": "El ruido tiene un límite superior: un recuento mayor se mide como si fuera ese límite. Por eso los"
    " recuentos no suman sus totales, y no se ajustaron. Una medición por debajo de 0 se muestra como 0.",
    "not_additive": "Cada recuento se midió por separado, también los totales. Una medición por debajo de 0 se muestra"
    " como 0, y no se hizo nada más. Los recuentos no suman exactamente sus totales. Use un total publicado en lugar"
    " de una suma.",
    "method_tree": "como una jerarquía, por mínimos cuadrados",
    "method_cube": "como dimensiones cruzadas, por mínimos cuadrados",
    "method_wang-3": "como el reparto más probable del total (Wang 2020, algoritmo 3)",
    "method_none": "de ninguna manera: todo recuento por debajo de 0 se muestra como 0",
    "cap_methods": "Tablas ajustadas conjuntamente para que sean aditivas",
    "head_tables": "tablas",
    "head_how": "cómo",
    "methods_note": "Las tablas de filas distintas se hicieron una después de otra. Un recuento que está en ambas"
    " puede tener dos valores, ambos hechos de una misma medición.",
    "fixed": "Estos recuentos no proceden de los datos. El editor los indicó como conocidos por otra fuente, o como"
    " vacíos por definición, y las tablas los respetan. Están fuera de la garantía.",
    "cap_fixed": "Recuentos dados",
    "head_given_who": "quién",
    "head_given": "recuento",
    "head_measured": "medido",
    "head_explained": "el ruido explica la diferencia",
    "yes": "sí",
    "no": "no",
    "and_more": "Y {number} más.",
    "how_far": "Cuánto se movieron los números y a qué distancia están de la verdad",
    "cap_moved": "Recuentos publicados frente a mediciones",
    "head_moved_most": "desplazamiento máximo",
    "head_moved": "desplazamiento típico",
    "head_error": "error típico de las mediciones",
    "head_error_fit": "de los mínimos cuadrados",
    "head_error_published": "de lo publicado",
    "exact_errors": "El error típico (media cuadrática) de las mediciones procede de los enteros de la tabla"
    " certificada. El de los mínimos cuadrados, que hacen una sola tabla de todas las mediciones, se deduce de él con"
    " una fórmula. Ninguno se simula ni se calcula con los datos. Ninguna fórmula cubre las tablas que siguen"
    " recuentos dados, o una tabla de más personas. Ahí hay un guion.",
    "simulation_failed": "Que los recuentos sean enteros y no negativos cambia el error una vez más. Esto no se pudo"
    " simular: con ruido extraído en una simulación, los mínimos cuadrados no convergieron. Por eso se omiten aquí los"
    " errores de los recuentos publicados. Los propios recuentos publicados no se ven afectados.",
    "too_many": "Hay demasiados recuentos para simular cómo cambia el error porque los recuentos son enteros y no"
    " negativos.",
    "simulated": "Que los recuentos sean enteros y no negativos cambia el error una vez más. Esto se simuló {runs}"
    " veces: los recuentos publicados se tomaron como verdaderos y se extrajo de nuevo ruido para ellos. No se usaron"
    " los recuentos verdaderos. También hay un guion donde las tablas son demasiado grandes para simularlas, o donde un"
    " número es incierto en más del {sure}.",
    "moved_title": "Cuánto se movieron los recuentos",
    "moved_across": "recuento publicado menos recuento medido",
    "moved_up": "proporción de los recuentos",
    "unchanged": "{unchanged} de {counts} recuentos publicados están tal como se midieron.",
    "guarantee": "La garantía",
    "why_not": "No se promete nada para el conjunto de la publicación, por la razón que se da al principio de esta"
    " página.",
    "states_person": "Sean A y B dos estados de los datos, uno con y otro sin una persona cualquiera, y M la"
    " publicación completa. Para todo conjunto S de carpetas que podrían publicarse,",
    "states_row": "Sean A y B dos estados de los datos, uno con y otro sin una fila cualquiera, y M la publicación"
    " completa. Para todo conjunto S de carpetas que podrían publicarse,",
    "symbols": "{formula}, con ε = {epsilon} y δ = {delta}.",
    "whatever": "Esto vale sepa lo que sepa alguien además y calcule lo que calcule con las tablas. Los valores se"
    " calculan con los enteros de los que se extrae el ruido, sobre todos los recuentos que incluyen a una persona, y"
    " son cotas superiores.",
    "earlier": "Una publicación anterior con la etiqueta de versión {label} midió {before} de las {measured} tablas y"
    " márgenes medidos. Aquí tienen el mismo ruido y los mismos números, y la garantía abarca ambas publicaciones"
    " juntas.",
    "cap_guarantee": "La garantía en números",
    "head_what": "qué",
    "head_value": "valor",
    "head_meaning": "significado",
    "epsilon_meaning": "para la publicación completa",
    "delta_meaning": "para la publicación completa, una cota superior, redondeada hacia arriba",
    "floor": "mínimo de delta",
    "floor_meaning": "delta nunca baja de aquí, por grande que sea épsilon",
    "touches": "contactos",
    "touches_meaning_person": "de los {counts} recuentos, como máximo, pueden incluir a una misma persona",
    "touches_meaning_row": "de los {counts} recuentos, como máximo, pueden incluir una misma fila",
    "unit": "unidad",
    "unit_row": "una fila",
    "unit_row_meaning": "lo que se protege; quien tiene varias filas está protegido por cada una por separado",
    "unit_person": "una persona",
    "unit_person_meaning": "cuya privacidad se protege",
    "contributions": "contribuciones",
    "contributions_meaning": "filas de una persona que cuentan, como máximo; las demás se omitieron",
    "one_count_alone": "un recuento solo",
    "one_row_more": "una fila más o menos",
    "one_person_more": "una persona más o menos",
    "up_to_rows": ", con hasta {rows} filas en él",
    "computed_exactly": ", calculado exactamente",
    "upper_bound": ", una cota superior",
    "noise": "ruido",
    "noise_meaning": "según lo describe el editor; la garantía se calcula solo con sus enteros",
    "key": "clave",
    "key_query": "elegido por un secreto y la definición del recuento; el mismo siempre que se pide",
    "key_fresh": "extraído de nuevo por el sistema operativo; otra publicación de estos datos costaría otro tanto",
    "key_contributors": "elegido por las personas contadas; las mismas personas reciben el mismo ruido",
    "other_epsilons": "Con otros valores de épsilon",
    "other_epsilons_text": "El mismo ruido cumple toda una curva de promesas: un ε menor con un δ mayor, y a la"
    " inversa.",
    "curve_release": "Cotas superiores de δ para la publicación completa: de {highest} con ε = {start} a {lowest} con"
    " ε = {end}.",
    "curve_count": "Cotas superiores de δ para un recuento leído por sí solo: de {highest} con ε = {start} a {lowest}"
    " con ε = {end}.",
    "curve_title": "Curva de la garantía",
    "curve_promised": "lo prometido",
    "at_most": "δ, como máximo",
    "cap_curve": "Lo mismo en números",
    "not_covered": "Lo que no cubre",
    "outside_names": "Los nombres de las tablas y dimensiones, las categorías declaradas, los filtros, los metadatos y"
    " todo cero o total fijado en la especificación. El editor los escribió. No se calculan con los datos.",
    "outside_general": "Lo que es cierto de la gente en general. Si las tablas muestran que una enfermedad es"
    " frecuente en un distrito, eso se sabe de todos sus habitantes, participaran o no.",
    "outside_query": "Otras publicaciones sobre las mismas personas. Cada una tiene su propio coste, y los costes se"
    " suman, siempre que los datos modificados tengan una nueva etiqueta de versión. Con una etiqueta antigua tendrían"
    " el mismo ruido y mostrarían sus diferencias exactas. El programa del editor lo rechaza; por las carpetas nadie"
    " puede saberlo.",
    "outside_fresh": "Otras publicaciones sobre las mismas personas. Cada una tiene su propio coste, y los costes se"
    " suman.",
    "outside_contributors": "Otras publicaciones sobre las mismas personas. Sus garantías no se suman a esta.",
    "outside_from_data": "Qué categorías hay. Se tomaron de los datos tal como están.",
    "outside_found": "Lo que se declaró a partir de los datos: {found}.",
    "outside_sources": "De dónde proceden las categorías, los intervalos y las contribuciones, según el editor:"
    " {sources}.",
    "outside_secret": "Un secreto que se filtra. El ruido se eligió con una clave secreta; quien la tenga puede quitar"
    " el ruido.",
    "checking": "Cómo comprobarlo",
    "checking_text": "Cualquiera puede comprobar esta carpeta, solo con la carpeta: <code>discreet verify DIR</code>"
    " vuelve a calcular la garantía con los enteros de {certificate}, y vuelve a hacer las tablas y esta página a"
    " partir de {measurements}, byte a byte. No puede saber si el editor extrajo el ruido como dice el certificado, ni"
    " si guarda bien un secreto. <code>discreet verify --page ARCHIVO</code> escribe una página que comprueba carpetas"
    " en un navegador, con un programa propio.",
    "readme_tables": "Tablas",
    "readme_columns": "`count` es el recuento publicado; `low` y `high` son los extremos de su intervalo. En promedio"
    " sobre los recuentos, al menos el 95\u202f% de estos intervalos contienen el recuento verdadero. Si `high` está"
    " vacío, el intervalo no tiene límite superior.",
    "readme_marks": "`_total` es un total sobre una dimensión, `_other` es todo lo que no está declarado o no consta.",
    "leaves_in_other": "En {dimension}, `_other` incluye también {leaves}.",
    "readme_files": "Archivos",
    "readme_report": "el informe: tablas, garantía, errores",
    "readme_manifest": "la especificación, la garantía, las huellas digitales de todos los archivos",
    "readme_certificate": "los enteros de los que se extrajo el ruido",
    "readme_measurements": "los recuentos con ruido tal como se midieron",
    "readme_metadata": "descripción de las columnas (CSV on the Web)",
    "readme_table": "una tabla",
    "readme_check": "Para comprobar esta carpeta, ejecute `discreet verify DIR`.",
}
