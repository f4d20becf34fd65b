process RIBOGRID_CLUSTER {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"

    input:
    tuple val(meta), path(pairs)

    output:
    tuple val(meta), path("*.otus.tsv"), emit: table
    tuple val(meta), path("*.biom"), emit: biom
    tuple val(meta), path("*.reps.fasta"), emit: representatives
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: '--id 0.97'
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    ribogrid cluster ${pairs} ${args} --threads ${task.cpus} -o ${prefix}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        ribogrid: \$(ribogrid --version | sed -n '1s/ribogrid //p')
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.otus.tsv ${prefix}.biom ${prefix}.reps.fasta versions.yml
    """
}
